// SPDX-License-Identifier: BSD-3-Clause
// The terminal output and JSON of plait check.
#include "check/output.hpp"

#include <gtest/gtest.h>

#include "base/json_file.hpp"
#include "check/made_job.hpp"
#include "report/schema_check.hpp"

namespace plait::check {
namespace {

Finding leak(int rank, const std::string& function) {
  Place place{{rank}, function, "", rank, 1, {}};
  place.frames = {{"work", "/home/u/app.c", 12, "/home/u/app", "0x12"},
                  {"main", "/home/u/app.c", 30, "/home/u/app", "0x40"}};
  return {"communicator_leak",
          "A communicator is not freed before MPI_Finalize",
          "free it",
          1,
          {place}};
}

Verdict verdict_of(std::vector<Finding> findings) {
  Verdict verdict;
  verdict.findings = std::move(findings);
  verdict.ranks = 4;
  verdict.operations = 120;
  return verdict;
}

TEST(Output, EqualPlacesOfSeveralRanksAreOneFinding) {
  const auto kept =
      merged({leak(2, "MPI_Comm_dup"), leak(0, "MPI_Comm_dup"), leak(0, "MPI_Comm_split")});
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].count, 2U);
  EXPECT_EQ(kept[0].places[0].ranks, (std::vector<int>{0, 2}));
}

TEST(Output, DetailsThatDifferNameTheirRank) {
  Finding one = leak(0, "MPI_Send");
  Finding other = leak(1, "MPI_Send");
  one.kind = other.kind = "unreceived_message";
  one.places[0].detail = "to rank 1";
  other.places[0].detail = "to rank 2";
  const auto kept = merged({one, other});
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].places[0].detail, "(rank 0: to rank 1)");
  EXPECT_EQ(merged(merged({one, one}))[0].places[0].detail, "to rank 1");
}

TEST(Output, OneLeakOnSeveralPathsIsOneFinding) {
  Finding other = leak(1, "MPI_Comm_dup");
  other.places[0].frames[1].line = 31;
  const auto kept = merged({leak(0, "MPI_Comm_dup"), other, leak(1, "MPI_Comm_dup")});
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].count, 3U);
  ASSERT_EQ(kept[0].places.size(), 2U);
  EXPECT_EQ(kept[0].places[0].ranks, (std::vector<int>{0, 1}));
}

TEST(Output, WarningsDoNotChangeTheExitCode) {
  Verdict verdict = verdict_of({});
  verdict.warnings = {leak(1, "MPI_Comm_dup")};
  const Outcome outcome{{"./app"}, 0, false, false};
  EXPECT_EQ(exit_code(verdict, outcome), 0);
  const auto lines = verdict_lines(verdict, outcome, false, true);
  EXPECT_EQ(lines[0], "No findings, 1 warning, in 120 operations of 4 ranks");
  EXPECT_EQ(lines[2], "warning: A communicator is not freed before MPI_Finalize");
  EXPECT_EQ(verdict_json(verdict, outcome)["warnings"].size(), 1U);
}

TEST(Output, OfEqualFindingsTheOneThatHangsIsReported) {
  Finding hangs = leak(1, "MPI_Comm_dup");
  hangs.what = "it hangs";
  hangs.never_completed = true;
  const auto kept = merged({leak(0, "MPI_Comm_dup"), hangs, leak(2, "MPI_Comm_dup")});
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].what, "it hangs");
  EXPECT_EQ(kept[0].count, 3U);
  EXPECT_EQ(kept[0].places[0].ranks, (std::vector<int>{0, 1, 2}));
}

TEST(Output, TheTerminalShowsDefectPlaceAndFix) {
  const auto lines = verdict_lines(verdict_of({leak(1, "MPI_Comm_dup")}),
                                   {{"./app"}, 0, false, false}, false, true);
  const std::vector<std::string> expected{"1 finding in 120 operations of 4 ranks",
                                          "",
                                          "1. A communicator is not freed before MPI_Finalize",
                                          "   rank 1: MPI_Comm_dup",
                                          "     at work (app.c:12) <- main (app.c:30)",
                                          "   fix: free it"};
  EXPECT_EQ(lines, expected);
}

TEST(Output, LinesOfACallAreIndentedBehindItsRanks) {
  Finding finding = leak(1, "MPI_Recv");
  finding.places[0].detail = "1 MPI_INT from rank 2, tag 1 on MPI_COMM_WORLD; waits for rank 2";
  Verdict verdict = verdict_of({finding});
  verdict.operations = verdict.ranks = 1;
  const auto lines = verdict_lines(verdict, {{"./app"}, 0, false, false}, false, true);
  EXPECT_EQ(lines[0], "1 finding in 1 operation of 1 rank");
  EXPECT_EQ(lines[3],
            "   rank 1: MPI_Recv 1 MPI_INT from rank 2, tag 1 on MPI_COMM_WORLD; waits for");
  EXPECT_EQ(lines[4], "           rank 2");
}

TEST(Output, TheOutcomeOfTheProgramIsReported) {
  EXPECT_EQ(verdict_lines(verdict_of({}), {{"./app"}, 0, false, false}, false, true)[0],
            "No findings in 120 operations of 4 ranks");
  EXPECT_NE(verdict_lines(verdict_of({}), {{"./app"}, 7, false, false}, false, true)[0].find(
                "exit code was 7"),
            std::string::npos);
  EXPECT_NE(verdict_lines(verdict_of({}), {{"./app"}, 143, true, false}, false, true)[0].find(
                "plait ended the"),
            std::string::npos);
}

TEST(Output, TheProgramsExitCodeComesBeforeThatOfFindings) {
  const Verdict clean = verdict_of({}), guilty = verdict_of({leak(1, "MPI_Comm_dup")});
  const auto code = [](const Verdict& verdict, int program, bool ended = false, bool late = false) {
    return exit_code(verdict, {{"./app"}, program, ended, late});
  };
  EXPECT_EQ(code(clean, 0), 0);
  EXPECT_EQ(code(guilty, 0), kFindingsExit);
  EXPECT_EQ(code(clean, 3), 3);
  EXPECT_EQ(code(guilty, 7), 7);
  EXPECT_EQ(code(guilty, 139), 139);
  // What Plait ended has no exit code of its own.
  EXPECT_EQ(code(guilty, 143, true), kFindingsExit);
  EXPECT_EQ(code(guilty, 124, false, true), kFindingsExit);
  EXPECT_EQ(code(clean, 124, false, true), 124);
  EXPECT_EQ(code(Verdict{}, 0), 1);
  EXPECT_EQ(code(Verdict{}, 5), 5);
}

TEST(Output, TheJsonHasBothExitCodes) {
  const Verdict guilty = verdict_of({leak(1, "MPI_Comm_dup")});
  const auto value = verdict_json(guilty, {{"./app"}, 0, false, false});
  EXPECT_EQ(value["exit_code"], 0);
  EXPECT_EQ(value["plait_exit_code"], kFindingsExit);
  const auto own = verdict_json(guilty, {{"./app"}, 3, false, false});
  EXPECT_EQ(own["exit_code"], 3);
  EXPECT_EQ(own["plait_exit_code"], 3);
}

TEST(Output, TheJsonFitsItsSchema) {
  Verdict verdict = verdict_of({leak(1, "MPI_Comm_dup")});
  verdict.notes = {"something was not checked"};
  const auto value = verdict_json(verdict, {{"./app", "x"}, 3, false, true});
  const auto schema = nlohmann::json::parse(
      read_text_file(std::filesystem::path(PLAIT_SCHEMAS) / "check-1.schema.json"));
  EXPECT_EQ(report::schema_violations(schema, value), std::vector<std::string>{});
  EXPECT_EQ(value["ended_by"], "time_limit");
  EXPECT_EQ(value["findings"][0]["places"][0]["frames"][0]["line"], 12);
}

}  // namespace
}  // namespace plait::check
