// SPDX-License-Identifier: BSD-3-Clause
// Costs of a measured machine: its figures if measured, defaults otherwise.
#include "mapping/costs.hpp"

#include <gtest/gtest.h>

#include "machine/open_machine.hpp"

namespace plait::mapping {
namespace {

machine::Measured cluster_example() {
  return machine::open_machine("cluster-example").measured.value();
}

TEST(Costs, AreThoseOfTheMeasuredPaths) {
  const Costs costs = costs_of(cluster_example());
  EXPECT_NEAR(costs.path[kLevels].seconds, 1.25 * 2.1e-6, 0.1e-6) << "ping-ping between nodes";
  EXPECT_NEAR(costs.path[0].seconds, 1.25 * 0.6e-6, 0.05e-6) << "another package";
  EXPECT_NEAR(costs.path[3].seconds, 1.25 * 0.3e-6, 0.05e-6) << "shared L3";
  EXPECT_EQ(costs.path[1].seconds, costs.path[0].seconds) << "the next measured level outside";
  EXPECT_EQ(costs.path[4].seconds, costs.path[3].seconds);
  EXPECT_NEAR(costs.card.seconds_per_byte * 0.8 * 3.25e9, 1, 0.05) << "four pairs at once";
  EXPECT_NEAR(costs.card.seconds, 0.3 * 2.1e-6, 0.05e-6) << "g";
}

TEST(Costs, IntervalsContainTheMedians) {
  const CostsRange range = costs_range_of(cluster_example(), "cluster-example");
  EXPECT_TRUE(range.measured);
  EXPECT_EQ(range.from, "cluster-example");
  for (std::size_t level = 0; level <= kLevels; ++level) {
    EXPECT_LE(range.low.path[level].seconds, range.middle.path[level].seconds) << level;
    EXPECT_GE(range.high.path[level].seconds_per_byte, range.middle.path[level].seconds_per_byte);
  }
  EXPECT_LT(range.low.card.seconds_per_byte, range.high.card.seconds_per_byte);
}

TEST(Costs, HaveWhatSpeaksAgainstTheMeasurements) {
  machine::Measured measured;
  EXPECT_TRUE(costs_range_of(measured, "here").notes.empty());
  measured.waited_for_cpu = 0.3;
  ASSERT_EQ(costs_range_of(measured, "here").notes.size(), 1U);
  EXPECT_NE(costs_range_of(measured, "here").notes[0].find("waited 30 %"), std::string::npos);
}

TEST(Costs, WithoutANetworkItsCostsAreTheDefaults) {
  machine::Measured measured = cluster_example();
  measured.paths.pop_back();
  const CostsRange range = costs_range_of(measured, "here");
  const Costs usual = default_costs();
  EXPECT_FALSE(range.measured);
  EXPECT_EQ(range.middle.path[kLevels].seconds, usual.path[kLevels].seconds);
  EXPECT_EQ(range.middle.card.seconds_per_byte, usual.card.seconds_per_byte);
  EXPECT_NE(range.middle.path[0].seconds, usual.path[0].seconds);
  const Costs nothing = costs_of({});
  EXPECT_EQ(nothing.path[0].seconds, usual.path[0].seconds);
  EXPECT_EQ(nothing.path[4].seconds_per_byte, usual.path[4].seconds_per_byte);
}

}  // namespace
}  // namespace plait::mapping
