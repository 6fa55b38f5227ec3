// SPDX-License-Identifier: BSD-3-Clause
// Predicted effects of a change to a run: ends, middles, and which plans are supported.
#include "model/advice.hpp"

#include <gtest/gtest.h>

#include "plait/error.hpp"

namespace plait::model {
namespace {

TEST(Advice, WithoutSharingTheGainIsBetweenTheKernelsSpeedupAndTheWait) {
  // Two threads on one core: each waits half of 8 s of computation.
  const RecordedRank rank{10, 8, 8, 2, 2};
  const SpeedTable saturated({{1, 100}, {2, 125}});
  const Predicted after = without_sharing(rank, &saturated);
  EXPECT_DOUBLE_EQ(after.low_s, 6);                    // no more waiting for 8 / 2 s
  EXPECT_DOUBLE_EQ(after.high_s, 10 - 8 * (1 - 0.8));  // P(1) / P(2) = 0.8
  EXPECT_DOUBLE_EQ(after.s, (after.low_s + after.high_s) / 2);
  EXPECT_DOUBLE_EQ(without_sharing(rank, nullptr).high_s, 10) << "no certain gain without P(k)";
}

TEST(Advice, TimeOfOtherProgramsIsNotGained) {
  const RecordedRank rank{10, 2, 100, 2, 2};
  EXPECT_DOUBLE_EQ(without_sharing(rank, nullptr).low_s, 9);
  const RecordedRank one_thread{10, 8, 3, 1, 1};
  EXPECT_DOUBLE_EQ(without_sharing(one_thread, nullptr).low_s, 10);
  const RecordedRank beside_another{10, 8, 3, 1, 2};
  EXPECT_DOUBLE_EQ(without_sharing(beside_another, nullptr).low_s, 7);
}

TEST(Advice, WorkThatWasOnCpusForAShorterTimeIsACertainGain) {
  // Of 10 s, 9 s were waiting for a CPU; the work takes 2 s on cores of its own.
  const RecordedRank rank{10, 9.5, 18, 2, 10, 2};
  const Predicted after = without_sharing(rank, nullptr);
  EXPECT_DOUBLE_EQ(after.high_s, 2);
  EXPECT_TRUE(is_defended(10, after));
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
