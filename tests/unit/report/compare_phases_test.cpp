// SPDX-License-Identifier: BSD-3-Clause
// Phases of two traces: how they are matched, their ratios, and the table.
#include "report/compare_phases.hpp"

#include <gtest/gtest.h>

#include "text/terminal.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

json phase(const std::string& name, const std::string& signature, int repetitions, double each_s,
           int ranks, const std::vector<std::string>& pattern) {
  json calls = json::array();
  for (const std::string& function : pattern) {
    calls.push_back({{"function", function},
                     {"count", repetitions * ranks},
                     {"seconds", 0.1 * each_s * repetitions * ranks}});
  }
  return {{"name", name},
          {"signature", signature},
          {"begin_s", 0.0},
          {"end_s", each_s * repetitions},
          {"repetitions", repetitions},
          {"mean_s", each_s},
          {"cv", 0.1},
          {"median_s", each_s},
          {"low_s", pattern.empty() ? each_s : 0.9 * each_s},
          {"high_s", pattern.empty() ? each_s : 1.1 * each_s},
          {"ranks", ranks},
          {"pattern", pattern},
          {"calls", calls},
          {"efficiencies",
           {{"parallel", 0.8},
            {"load_balance", 0.9},
            {"serialization", nullptr},
            {"transfer", nullptr}}}};
}

json analysis(const std::vector<json>& phases) {
  return {{"phases", phases}};
}

const std::vector<std::string> kStep{"MPI_Sendrecv", "MPI_Allreduce"};

json run(int ranks, double each_s, const std::string& signature = "7") {
  return analysis({phase("before", "1", 1, 2, ranks, {}),
                   phase("iterations 1", signature, 100, each_s, ranks, kStep),
                   phase("after", "2", 1, 1, ranks, {})});
}

TEST(ComparedPhases, AreThoseWithTheSameCallsWhateverTheNumberOfRanks) {
  const auto changes = compare_phases({run(2, 0.2)}, {run(4, 0.1)});
  ASSERT_EQ(changes.size(), 3U);
  const PhaseChange& step = changes[1];
  EXPECT_EQ(step.aligned_by, "calls");
  EXPECT_EQ(step.a->ranks, 2);
  EXPECT_EQ(step.b->ranks, 4);
  EXPECT_DOUBLE_EQ(step.a->calls, 2);
  EXPECT_NEAR(step.a->mpi_s, 0.04, 1e-12);
  EXPECT_NEAR(step.ratio->median, 0.5, 1e-12);
  EXPECT_NEAR(step.ratio->low, 0.09 / 0.22, 1e-12);
  EXPECT_NEAR(step.ratio->high, 0.11 / 0.18, 1e-12);
}

TEST(ComparedPhases, OfOtherBuildsAreAlignedByTheirFunctions) {
  const auto changes = compare_phases({run(2, 0.2, "7")}, {run(2, 0.1, "8")});
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[1].aligned_by, "order");
  EXPECT_NEAR(changes[1].ratio->median, 0.5, 1e-12);
}

TEST(ComparedPhases, WithoutAMatchAreListedAlone) {
  const json other = analysis({phase("iterations 1", "9", 10, 0.1, 2, {"MPI_Alltoall"})});
  const auto changes = compare_phases({run(2, 0.2)}, {other});
  ASSERT_EQ(changes.size(), 4U);
  EXPECT_FALSE(changes[1].b);
  EXPECT_FALSE(changes[1].ratio);
  EXPECT_FALSE(changes[3].a);
}

TEST(ComparedPhases, PiecesOfOnePhaseCountTogether) {
  const json pieces =
      analysis({phase("iterations 1", "7", 20, 0.3, 2, kStep), phase("between", "3", 1, 1, 2, {}),
                phase("iterations 1", "7", 80, 0.2, 2, kStep)});
  const auto changes = compare_phases({pieces}, {pieces});
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].a->repetitions, 100U);
  EXPECT_NEAR(changes[0].a->each.median, 0.2, 1e-12);
  EXPECT_NEAR(changes[0].a->seconds, 22, 1e-9);
}

TEST(ComparedPhases, OfRepeatedRunsHaveTheSpreadOfTheRuns) {
  const auto changes = compare_phases({run(2, 0.2), run(2, 0.21), run(2, 0.19)},
                                      {run(2, 0.1), run(2, 0.12), run(2, 0.11)});
  const PhaseChange& step = changes[1];
  EXPECT_EQ(step.a->each, (Interval{0.2, 0.19, 0.21}));
  EXPECT_NEAR(step.ratio->median, 0.55, 1e-12);
  EXPECT_NEAR(step.ratio->low, 0.1 / 0.21, 1e-12);
  EXPECT_NEAR(step.ratio->high, 0.12 / 0.19, 1e-12);
}

TEST(ComparedPhases, NeedATraceOnBothSides) {
  EXPECT_TRUE(compare_phases({run(2, 0.2)}, {nullptr}).empty());
  EXPECT_TRUE(compare_phases({}, {}).empty());
}

TEST(ComparedPhases, AreATableOf80Columns) {
  const auto changes = compare_phases({run(2, 0.2)}, {run(4, 0.1)});
  const auto lines = phase_lines(changes, {false, true, ""});
  const std::vector<std::string> expected{
      "phases              A: 2 ranks    B: 4 ranks  B / A (interval)",
      "before                  2.00 s        2.00 s        1.00 times",
      "iterations 1      100 x 200 ms  100 x 100 ms  0.50 (0.41-0.61)",
      "  parallel                80 %          80 %       +0.0 points",
      "  load balance            90 %          90 %       +0.0 points",
      "  MPI per rank         40.0 ms       20.0 ms        0.50 times",
      "  calls per rank             2             2        1.00 times",
      "  top call            Sendrecv      Sendrecv",
      "after                   1.00 s        1.00 s        1.00 times"};
  EXPECT_EQ(lines, expected);
  for (const std::string& line : lines) EXPECT_LE(display_width(line), 80U);
}

TEST(ComparedPhases, AsJsonHaveBothSidesAndTheRatio) {
  const json value = phases_to_json(compare_phases({run(2, 0.2)}, {run(4, 0.1)}));
  EXPECT_EQ(value.at(1).at("a").at("repetitions"), 100);
  EXPECT_NEAR(value.at(1).at("ratio").at("median").get<double>(), 0.5, 1e-12);
  EXPECT_TRUE(value.at(1).at("a").at("transfer").is_null());
}

}  // namespace
}  // namespace plait::report
