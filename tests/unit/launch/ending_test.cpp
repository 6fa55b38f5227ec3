// SPDX-License-Identifier: BSD-3-Clause
// How jobs ended, from what launchers really wrote.
#include "launch/ending.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace plait::launch {
namespace {

ProcessEnd exited(int code) {
  ProcessEnd end;
  end.exit_code = code;
  return end;
}

TEST(Ending, MpichNamesTheSignal) {
  const JobEnding found = judge_ending(
      exited(139),
      "=   EXIT CODE: 139\nYOUR APPLICATION TERMINATED WITH THE EXIT STRING: Segmentation fault "
      "(signal 11)\n",
      {});
  EXPECT_EQ(found.ending, Ending::crashed);
  EXPECT_EQ(found.signal, SIGSEGV);
  EXPECT_NE(found.words.find("Segmentation fault"), std::string::npos);
  EXPECT_NE(ending_sentence(found).find("crashed with SIGSEGV"), std::string::npos);
}

TEST(Ending, IntelNamesTheSignal) {
  const JobEnding found =
      judge_ending(exited(8), "=   KILLED BY SIGNAL: 8 (Floating point exception)\n", {});
  EXPECT_EQ(found.ending, Ending::crashed);
  EXPECT_EQ(found.signal, SIGFPE);
  EXPECT_NE(found.words.find("Floating point"), std::string::npos);
}

TEST(Ending, OpenMpiNamesTheSignal) {
  const JobEnding found = judge_ending(
      exited(139), "mpiexec noticed that process rank 0 exited on signal 11 (Segmentation fault).",
      {});
  EXPECT_EQ(found.ending, Ending::crashed);
  EXPECT_EQ(found.signal, SIGSEGV);
}

TEST(Ending, AFailedAssertionIsACrash) {
  const JobEnding found = judge_ending(
      exited(1), "Assertion failed in file mpidig_init.c at line 36: PACK_BUFFER_SIZE\n", {});
  EXPECT_EQ(found.ending, Ending::crashed);
  EXPECT_NE(found.words.find("PACK_BUFFER_SIZE"), std::string::npos);
}

TEST(Ending, OpenMpiRefusesAnUnknownComponent) {
  const JobEnding found =
      judge_ending(exited(1),
                   "-----\nA requested component was not found, or was unable to be opened.  This\n"
                   "*** An error occurred in MPI_Init\n",
                   {});
  EXPECT_EQ(found.ending, Ending::refused);
  EXPECT_NE(found.words.find("A requested component was not found"), std::string::npos);
}

TEST(Ending, OpenMpi4SLauncherMayLoseTheRanksWords) {
  const JobEnding found = judge_ending(
      exited(1),
      "[n0:21405] [[16227,0],0] ORTE_ERROR_LOG: Data unpack had inadequate space in file "
      "../../../orte/util/show_help.c at line 513\n",
      {});
  EXPECT_EQ(found.ending, Ending::refused);
}

TEST(Ending, WhatHadToBeKilledHung) {
  ProcessEnd end = exited(137);
  end.timed_out = true;
  const JobEnding found = judge_ending(end, "starting\n", 12);
  EXPECT_EQ(found.ending, Ending::hung);
  EXPECT_EQ(ending_sentence(found), "hung, killed after 12.0 s: starting");
}

TEST(Ending, TheProgramsOwnFailureIsNoCrash) {
  EXPECT_EQ(judge_ending(exited(3), "no input file\n", {}).ending, Ending::failed);
  EXPECT_EQ(judge_ending(exited(0), "Assertion failed? no\n", {}).ending, Ending::ended);
}

TEST(Ending, NamesAreReadBack) {
  for (const Ending one :
       {Ending::ended, Ending::failed, Ending::refused, Ending::crashed, Ending::hung}) {
    EXPECT_EQ(ending_named(ending_name(one)), one);
  }
  EXPECT_FALSE(ending_named("lost").has_value());
}

}  // namespace
}  // namespace plait::launch
