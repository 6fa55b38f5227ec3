// SPDX-License-Identifier: BSD-3-Clause
// The conditions of Stengel's section 3.3 get their verdicts: senders, protocol, rank 0.
#include "model/mixed_verdict.hpp"

#include <gtest/gtest.h>

namespace plait::model {
namespace {

using machine::Measured;
using machine::Statistic;

Statistic figure(double median) {
  return {median, median, median * 0.99, median * 1.01, 9, {}};
}

/// Points of a condition, of which the fraction `hidden` of the shorter message overlaps.
void add_points(Measured& measured, int senders, const std::string& protocol,
                const std::string& rank0, double hidden) {
  for (const double part : {0.5, 0.75, 1.0, 2.0}) {
    const double inter = 1000 * part;
    machine::MixedPoint point{senders,
                              protocol,
                              8 << 20,
                              1 << 20,
                              figure(1000),
                              figure(inter),
                              figure(1000 + inter - hidden * std::min(1000.0, inter))};
    point.rank0 = rank0;
    measured.mixed.push_back(point);
  }
}

// Intel MPI on Woody: overlap with two senders unless rank 0 is inside the node; with one sender
// only for eager messages between nodes.
TEST(MixedVerdict, EachConditionOfTheThesisHasItsOwn) {
  Measured measured;
  add_points(measured, 2, "rendezvous", "between", 0.95);
  add_points(measured, 2, "rendezvous", "inside", 0.02);
  add_points(measured, 1, "eager", "none", 0.9);
  add_points(measured, 1, "rendezvous", "none", 0.05);
  const auto verdicts = judge_mixed(measured);
  ASSERT_EQ(verdicts.size(), 4U);
  EXPECT_TRUE(verdicts[0].overlaps);
  EXPECT_EQ(verdicts[0].points, 4);
  EXPECT_EQ(
      verdicts[0].sentence,
      "messages inside a node and long messages between nodes overlap with a sender for each, "
      "rank 0 between nodes: 95 % hidden (92 to 98 %)");
  EXPECT_FALSE(verdicts[1].overlaps);
  EXPECT_FALSE(verdicts[1].undecided);
  EXPECT_EQ(verdicts[1].sentence.find("messages inside a node and long messages between nodes do "
                                      "not overlap with a sender for each, rank 0 inside"),
            0U);
  EXPECT_TRUE(verdicts[2].overlaps);
  EXPECT_FALSE(verdicts[3].overlaps);
}

TEST(MixedVerdict, IsUndecidedWithoutQuietOrBalancedPoints) {
  Measured measured;
  add_points(measured, 1, "eager", "both", 1);
  for (machine::MixedPoint& point : measured.mixed) point.both_us.disturbed = 3;
  EXPECT_TRUE(judge_mixed(measured).at(0).undecided);
  EXPECT_EQ(judge_mixed(measured).at(0).reason,
            "0 of 4 measurements can be used; the ranks waited for a CPU in 4");
  Measured unbalanced;
  add_points(unbalanced, 1, "eager", "both", 1);
  for (machine::MixedPoint& point : unbalanced.mixed) point.intra_us = figure(90000);
  const machine::MixedVerdict verdict = judge_mixed(unbalanced).at(0);
  EXPECT_TRUE(verdict.undecided);
  EXPECT_EQ(verdict.reason, "in no measurement did both take similarly long");
  EXPECT_EQ(verdict.sentence.find("it is undecided whether messages inside a node and short"), 0U);
}

}  // namespace
}  // namespace plait::model
