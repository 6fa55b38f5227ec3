// SPDX-License-Identifier: BSD-3-Clause
// Functions that became slower or faster: verdicts by intervals, ranks, several runs, output.
#include "report/compare_functions.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace plait::report {
namespace {

/// A run of `ranks` ranks with `samples` of each function on each of them, at 100 per second.
samples::CallTree run_of(const std::vector<std::pair<std::string, int>>& functions, int ranks = 2) {
  samples::CallTree tree;
  tree.rate_hz = 100;
  for (const auto& [name, samples] : functions) {
    const int at = static_cast<int>(tree.functions.size());
    tree.functions.push_back({name, name, "/src/" + name + ".c", 7, "app", "code"});
    tree.nodes.push_back({-1, at, 9, false});
    for (int rank = 0; rank < ranks; ++rank) {
      tree.counts.push_back({at, rank, samples::State::code, static_cast<std::uint64_t>(samples)});
    }
  }
  for (int rank = 0; rank < ranks; ++rank) tree.threads.push_back({rank, 0, "main", 0, 0, 0, 0});
  return tree;
}

const FunctionChange& change_of(const std::vector<FunctionChange>& changes,
                                const std::string& name) {
  const auto found = std::ranges::find(changes, name, &FunctionChange::name);
  if (found == changes.end()) throw std::runtime_error("no function " + name);
  return *found;
}

TEST(CompareFunctions, NamesWhatChangedAndIsUndecidedWhereIntervalsOverlap) {
  const auto changes =
      compare_functions({run_of({{"assemble", 400}, {"solve", 1000}, {"old", 200}})},
                        {run_of({{"assemble", 800}, {"solve", 1010}, {"new", 90}})});
  EXPECT_EQ(change_of(changes, "assemble").verdict, "slower");
  EXPECT_EQ(change_of(changes, "solve").verdict, "undecided");
  EXPECT_EQ(change_of(changes, "old").verdict, "gone");
  EXPECT_EQ(change_of(changes, "new").verdict, "new");
  EXPECT_EQ(changes.front().name, "assemble");
  EXPECT_EQ(changes.back().name, "solve");
  const auto back = compare_functions({run_of({{"assemble", 800}})}, {run_of({{"assemble", 400}})});
  EXPECT_EQ(back.front().verdict, "faster");
}

TEST(CompareFunctions, TimesAreMeansPerRankWithWilsonsInterval) {
  const auto changes =
      compare_functions({run_of({{"f", 50}, {"g", 50}}, 2)}, {run_of({{"f", 50}, {"g", 50}}, 4)});
  const FunctionChange& f = change_of(changes, "f");
  EXPECT_DOUBLE_EQ(f.a->value, 0.5);
  EXPECT_DOUBLE_EQ(f.b->value, 0.5);
  // 100 of 200 samples: 43.1 to 56.9 %.
  EXPECT_NEAR(f.a->low, 0.4314, 1e-4);
  EXPECT_NEAR(f.a->high, 0.5686, 1e-4);
  EXPECT_LT(f.b->high - f.b->low, f.a->high - f.a->low);
  EXPECT_EQ(f.file, "/src/f.c");
  EXPECT_EQ(f.line, 7);
}

TEST(CompareFunctions, SeveralRunsOfASideAreOne) {
  const samples::CallTree run = run_of({{"f", 50}, {"g", 50}});
  const auto one = compare_functions({run}, {run});
  const auto three = compare_functions({run, run, run}, {run});
  EXPECT_DOUBLE_EQ(change_of(three, "f").a->value, change_of(one, "f").a->value);
  EXPECT_GT(change_of(three, "f").a->low, change_of(one, "f").a->low);
}

TEST(CompareFunctions, RareFunctionsAndSidesWithoutSamplesAreLeftOut) {
  const samples::CallTree run = run_of({{"f", 5000}, {"rare", 1}});
  EXPECT_EQ(compare_functions({run}, {run}).size(), 1U);
  EXPECT_TRUE(compare_functions({run}, {}).empty());
  EXPECT_TRUE(compare_functions({run_of({})}, {run}).empty());
  // One sample says little: the other side may have had bad luck.
  const auto luck = compare_functions({run_of({{"f", 500}, {"g", 1}})}, {run_of({{"f", 500}})});
  EXPECT_EQ(change_of(luck, "g").verdict, "undecided");
}

TEST(CompareFunctions, PrintsThoseThatDifferWithTheirIntervals) {
  TerminalOptions plain;
  const auto changes = compare_functions({run_of({{"assemble", 400}, {"solve", 1000}})},
                                         {run_of({{"assemble", 800}, {"solve", 1010}})});
  const auto lines = function_change_lines(changes, plain);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(lines[1].find("assemble"), std::string::npos);
  EXPECT_NE(lines[1].find("4.00 s ("), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find("slower"), std::string::npos);
  const nlohmann::json value = functions_to_json(changes);
  EXPECT_EQ(value[0]["verdict"], "slower");
  EXPECT_DOUBLE_EQ(value[0]["b"]["median"].get<double>(), 8.0);
  EXPECT_TRUE(function_change_lines({}, plain).empty());
}

}  // namespace
}  // namespace plait::report
