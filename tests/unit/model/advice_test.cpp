// SPDX-License-Identifier: BSD-3-Clause
// Predicted effects of a change to a run: ends, middles, and which plans are supported.
#include "model/advice.hpp"

#include <gtest/gtest.h>

#include "plait/error.hpp"

namespace plait::model {
namespace {

TEST(Advice, RanksThatShareACoreCompeteForMemoryOnCoresOfTheirOwn) {
  // Two ranks on one core: each computes 4 of 10 s, spins 1 s in MPI, and waits.
  const SharedRun run{10, 0.5, 4, 5, 1, 2};
  const SpeedTable saturated({{1, 100}, {2, 125}});
  const Predicted after = without_sharing(run, &saturated);
  EXPECT_DOUBLE_EQ(after.low_s, 0.5 / 2 + 4) << "without MPI, which may only have waited";
  EXPECT_DOUBLE_EQ(after.high_s, 0.5 + 4 * 1.6 + 1);  // 2 P(1) / P(2)
  EXPECT_DOUBLE_EQ(after.s, (after.low_s + after.high_s) / 2);
  EXPECT_DOUBLE_EQ(without_sharing(run, nullptr).high_s, 0.5 + 4 * 2 + 1) << "P(2) may be P(1)";
}

TEST(Advice, AllCoresWereInUseSoMemoryIsNoSlower) {
  // Of 10 s, 8 s were waiting for a CPU; the work takes 2 s on the same cores.
  const Predicted after = without_sharing({10, 0, 2, 2, 2, 2}, nullptr);
  EXPECT_DOUBLE_EQ(after.low_s, 2);
  EXPECT_DOUBLE_EQ(after.high_s, 2);
  EXPECT_TRUE(is_defended(10, after));
}

TEST(Advice, NoRunTakesLongerThanItDidWithSharedCores) {
  const Predicted after = without_sharing({10, 1, 8, 9, 1, 2}, nullptr);
  EXPECT_DOUBLE_EQ(after.low_s, 1 / 2.0 + 8);
  EXPECT_DOUBLE_EQ(after.high_s, 10);
}

TEST(Advice, OtherProgramsWidenTheInterval) {
  const Predicted after = beside_other_programs({6, 5, 7}, 10, 0.5);
  EXPECT_DOUBLE_EQ(after.low_s, 5);
  EXPECT_DOUBLE_EQ(after.high_s, 12);
  EXPECT_FALSE(is_defended(10, after));
  EXPECT_TRUE(is_defended(10, beside_other_programs({6, 5, 7}, 10, 0.01)));
}

TEST(Advice, MoreThreadsGainOnlyInParallelRegions) {
  const SpeedTable saturated({{1, 100}, {2, 120}});
  const Predicted after = with_threads(10, 6, 1, 1, 2, saturated);
  EXPECT_DOUBLE_EQ(after.low_s, 4 + 3);
  EXPECT_DOUBLE_EQ(after.high_s, 4 + 6 / 1.2);
  EXPECT_THROW((void)with_threads(10, 6, 0, 1, 2, saturated), Error);
}

TEST(Advice, FasterMessagesShortenTheMessageTime) {
  const Predicted after = with_faster_messages(10, 2, 6, 1.25, 2);
  EXPECT_DOUBLE_EQ(after.low_s, 10 - 6 * 0.5);
  EXPECT_DOUBLE_EQ(after.high_s, 10 - 2 * 0.2);
}

TEST(Advice, ReplaysAreScaledToTheRunAndWidenedByTheirError) {
  const auto exact = by_replays(12, 10, {10, 10, 10}, {5, 5, 5});
  ASSERT_TRUE(exact.has_value());
  EXPECT_DOUBLE_EQ(exact->s, 2 + 5);
  EXPECT_DOUBLE_EQ(exact->low_s, exact->high_s);
  const auto missed = by_replays(12, 10, {8, 8, 8}, {4, 4, 4});
  ASSERT_TRUE(missed.has_value());
  EXPECT_DOUBLE_EQ(missed->s, 2 + 5);
  EXPECT_DOUBLE_EQ(missed->high_s, 2 + 10 * (0.5 + 0.2 * 0.5));
  EXPECT_FALSE(by_replays(12, 10, {0, 0, 0}, {1, 1, 1}).has_value());
}

TEST(Advice, OnlyACertainGainIsDefended) {
  EXPECT_TRUE(is_defended(10, {9, 8, 10}));
  EXPECT_FALSE(is_defended(10, {9, 8, 10.1}));
  EXPECT_FALSE(is_defended(10, {9.9, 9.8, 10}));
}

}  // namespace
}  // namespace plait::model
