// SPDX-License-Identifier: BSD-3-Clause
// Instrumented functions: rows summed over ranks and threads, the terminal table, JSON.
#include "report/functions.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/json.hpp"
#include "synthetic_profiles.hpp"

namespace plait::report {
namespace {

constexpr int kAssemble = 0, kSolve = 1;

/// Two functions on a rank with two threads; `slow` times as long as on the other.
RankFunctions rank_of(int rank, double slow) {
  trace::FunctionFile file;
  file.functions = {{{"/no/such/app", 0x100, 0x100}, false},
                    {{"/no/such/app", 0x200, 0x200}, true}};
  file.threads = {{0, {{kAssemble, 10, 2 * slow, 1 * slow}, {kSolve, 5, 1 * slow, 1 * slow}}},
                  {1, {{kAssemble, 1, 0.5, 0.5}}}};
  return {rank, file};
}

std::vector<FunctionRow> rows() {
  return function_rows({rank_of(0, 1), rank_of(1, 3)}, trace::Symbolizer());
}

TEST(FunctionRows, AreSumsWithTheRankThatSpendsMost) {
  const std::vector<FunctionRow> all = rows();
  ASSERT_EQ(all.size(), 2U);
  const FunctionRow& first = all[0];
  EXPECT_EQ(first.calls, 22U);
  EXPECT_DOUBLE_EQ(first.inclusive_s, 9);
  EXPECT_DOUBLE_EQ(first.exclusive_s, 5);
  EXPECT_EQ(first.ranks, 2);
  EXPECT_EQ(first.threads, 4);
  EXPECT_EQ(first.worst_rank, 1);
  EXPECT_DOUBLE_EQ(first.worst_s, 3.5);
  EXPECT_FALSE(first.switched_off);
  EXPECT_TRUE(all[1].switched_off);
  EXPECT_NE(first.name.find("0x100"), std::string::npos) << "without a name it is a place";
}

TEST(FunctionLines, HaveARowForEachFunctionAndNameWhatWasSwitchedOff) {
  std::vector<FunctionRow> all = rows();
  all[0].name = "mesh::assemble(int)";
  all[1].name = "tiny()";
  TerminalOptions plain;
  const std::vector<std::string> lines = function_lines(all, plain);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_NE(lines[1].find("mesh::assemble(int)"), std::string::npos);
  EXPECT_NE(lines[1].find("rank 1: 3.50 s"), std::string::npos) << lines[1];
  EXPECT_NE(lines[3].find("switched off"), std::string::npos);
  for (int i = 0; i < 30; ++i) all.push_back(all[0]);
  EXPECT_LE(function_lines(all, plain).size(), 13U);
  for (const std::string& line : function_lines(all, plain)) EXPECT_LE(line.size(), 80U);
  EXPECT_TRUE(function_lines({}, plain).empty());
}

TEST(FunctionRows, SurviveJson) {
  Profile profile = healthy_profile();
  EXPECT_FALSE(profile_to_json(profile).contains("functions"));
  profile.functions = rows();
  const Profile read = profile_from_json(profile_to_json(profile), "profile");
  EXPECT_EQ(read.functions, profile.functions);
}

}  // namespace
}  // namespace plait::report
