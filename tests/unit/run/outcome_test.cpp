// SPDX-License-Identifier: BSD-3-Clause
// Outcomes of jobs, from recorded output of launchers.
#include "run/outcome.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace plait::run {
namespace {

ProcessEnd exited(int code) {
  ProcessEnd end;
  end.exit_code = code;
  return end;
}

TEST(Outcome, MpichNamesTheSignal) {
  const JobOutcome found = judge_outcome(
      exited(139),
      "=   EXIT CODE: 139\nYOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault "
      "(signal 11)\n",
      {});
  EXPECT_EQ(found.kind, Outcome::crashed);
  EXPECT_EQ(found.signal, SIGSEGV);
  EXPECT_NE(found.message.find("Segmentation fault"), std::string::npos);
  EXPECT_NE(outcome_sentence(found).find("crashed with SIGSEGV"), std::string::npos);
}

TEST(Outcome, IntelNamesTheSignal) {
  const JobOutcome found =
      judge_outcome(exited(8), "=   KILLED BY SIGNAL: 8 (Floating point exception)\n", {});
  EXPECT_EQ(found.kind, Outcome::crashed);
  EXPECT_EQ(found.signal, SIGFPE);
  EXPECT_NE(found.message.find("Floating point"), std::string::npos);
}

TEST(Outcome, OpenMpiNamesTheSignal) {
  const JobOutcome found = judge_outcome(
      exited(139), "mpiexec noticed that process rank 0 exited on signal 11 (Segmentation fault).",
      {});
  EXPECT_EQ(found.kind, Outcome::crashed);
  EXPECT_EQ(found.signal, SIGSEGV);
}

TEST(Outcome, AFailedAssertionIsACrash) {
  const JobOutcome found = judge_outcome(
      exited(1), "Assertion failed in file mpidig_init.c at line 36: PACK_BUFFER_SIZE\n", {});
  EXPECT_EQ(found.kind, Outcome::crashed);
  EXPECT_NE(found.message.find("PACK_BUFFER_SIZE"), std::string::npos);
}

TEST(Outcome, OpenMpiRefusesAnUnknownComponent) {
  const JobOutcome found = judge_outcome(
      exited(1),
      "-----\nA requested component was not found, or was unable to be opened.  This\n"
      "*** An error occurred in MPI_Init\n",
      {});
  EXPECT_EQ(found.kind, Outcome::refused);
  EXPECT_NE(found.message.find("A requested component was not found"), std::string::npos);
}

TEST(Outcome, OpenMpi4SLauncherMayLoseTheRanksMessage) {
  const JobOutcome found = judge_outcome(
      exited(1),
      "[n0:21405] [[16227,0],0] ORTE_ERROR_LOG: Data unpack had inadequate space in file "
      "../../../orte/util/show_help.c at line 513\n",
      {});
  EXPECT_EQ(found.kind, Outcome::refused);
}

TEST(Outcome, WhatHadToBeKilledHung) {
  ProcessEnd end = exited(137);
  end.timed_out = true;
  const JobOutcome found = judge_outcome(end, "starting\n", 12);
  EXPECT_EQ(found.kind, Outcome::hung);
  EXPECT_EQ(outcome_sentence(found), "hung, killed after 12 s: starting");
}

TEST(Outcome, TheProgramsOwnFailureIsNoCrash) {
  EXPECT_EQ(judge_outcome(exited(3), "no input file\n", {}).kind, Outcome::failed);
  EXPECT_EQ(judge_outcome(exited(0), "Assertion failed? no\n", {}).kind, Outcome::ended);
}

TEST(Outcome, TheReasonIsTheProgramsAndNotTheReportOfItsLauncher) {
  // As Open MPI 4.1 and MPICH print it.
  const std::string open =
      "Primary job  terminated normally, but 1 process returned\na non-zero exit code.\n"
      "mpiexec.openmpi detected that one or more processes exited with non-zero status, thus\n"
      "  Process name: [[23306,1],0]\n  Exit code:    1\n";
  const std::string mpich =
      "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n"
      "=   PID 7 RUNNING AT vm\n=   EXIT CODE: 3\n";
  for (const std::string& report : {open, mpich}) {
    const auto message = [&](const std::string& own) {
      return judge_outcome(exited(1), own + report, {}).message;
    };
    EXPECT_EQ(message("ERROR: no package (a.cpp:8)\nLast command: run\n"),
              "ERROR: no package (a.cpp:8)");
    EXPECT_EQ(message("step 1\nno input file\n"), "no input file");
    EXPECT_FALSE(message("").empty());
  }
}

TEST(Outcome, NamesAreReadBack) {
  for (const Outcome one :
       {Outcome::ended, Outcome::failed, Outcome::refused, Outcome::crashed, Outcome::hung}) {
    EXPECT_EQ(outcome_named(outcome_name(one)), one);
  }
  EXPECT_FALSE(outcome_named("lost").has_value());
}

}  // namespace
}  // namespace plait::run
