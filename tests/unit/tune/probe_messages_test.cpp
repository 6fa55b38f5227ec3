// SPDX-License-Identifier: BSD-3-Clause
// The messages that a probe sends, and their time in what it prints.
#include "tune/probe_messages.hpp"

#include <gtest/gtest.h>

namespace plait::tune {
namespace {

const std::vector<ProbeMessage> kMessages{{kExchange, 2, 8192, 10}, {"MPI_Bcast", 3, 65536, 2}};

TEST(ProbeMessages, BecomeStepsThatTheFirstRankLeads) {
  const measure::ProbePlan plan = probe_plan(kMessages, 4, {"libmpi.so.40"}, 0.5);
  ASSERT_EQ(plan.steps.size(), 2U);
  EXPECT_EQ(plan.pus, (std::vector<int>{-1, -1, -1, -1}));
  EXPECT_EQ(plan.steps[0].kind, measure::StepKind::multi_pair_pingping);
  EXPECT_EQ(plan.steps[0].pairs, (std::vector<measure::RankPair>{{0, 1}, {2, 3}}));
  EXPECT_EQ(plan.steps[1].what, "bcast");
  EXPECT_EQ(plan.steps[1].ranks, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(plan.steps[1].sizes, (std::vector<std::uint64_t>{65536}));
  EXPECT_DOUBLE_EQ(plan.steps[1].seconds, 0.25);
  EXPECT_EQ(measure::parse_plan(measure::format_plan(plan)), plan);
}

TEST(ProbeMessages, BetweenNodesPartnersAreInTheOtherHalfOfTheRanks) {
  const measure::ProbePlan plan = probe_plan({{kRemoteExchange, 2, 8, 1}}, 4, {}, 1);
  EXPECT_EQ(plan.steps[0].pairs, (std::vector<measure::RankPair>{{0, 2}, {1, 3}}));
  const measure::ProbePlan two = probe_plan({{kRemoteExchange, 2, 8, 1}}, 2, {}, 1);
  EXPECT_EQ(two.steps[0].kind, measure::StepKind::pingping);
}

TEST(ProbeMessages, AddUpByTheirNumberOfCalls) {
  // Two ranks: microseconds. The launcher's own output is between the lines.
  const std::string two = "library x\ncell 0 8192 0 0 : 5 4 6\nhello\ncell 1 65536 0 0 : 20\nend\n";
  EXPECT_DOUBLE_EQ(probe_time_s(kMessages, 2, two).value(), 10 * 5e-6 + 2 * 20e-6);
  // Four ranks: 2 pairs with 2 x 8192 bytes in 1.6384 us are 10 GB/s.
  const std::string four = "cell 0 8192 0 0 : 10\ncell 1 65536 0 0 : 20\n";
  EXPECT_NEAR(probe_time_s(kMessages, 4, four).value(), 10 * 1.6384e-6 + 40e-6, 1e-12);
  EXPECT_FALSE(probe_time_s(kMessages, 2, "cell 0 8192 0 0 : 5\n").has_value());
  EXPECT_FALSE(probe_time_s(kMessages, 2, "took 5\n").has_value());
}

TEST(ProbeMessages, KnowOnlyTheOperationsOfTheProbe) {
  EXPECT_TRUE(can_probe(kExchange));
  EXPECT_TRUE(can_probe("MPI_Barrier"));
  EXPECT_FALSE(can_probe("MPI_Scan"));
}

}  // namespace
}  // namespace plait::tune
