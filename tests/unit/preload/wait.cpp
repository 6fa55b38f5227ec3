// SPDX-License-Identifier: BSD-3-Clause
// Tests of what a rank does that polls and finds nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "preload/wait/policy.hpp"

namespace plait::preload::wait {
namespace {

plait_wait_process on_cpus(std::uint64_t first_word) {
  plait_wait_process process{};
  process.cpus[0] = first_word;
  process.ready = 1;
  return process;
}

TEST(WaitPolicy, RanksThatAreNotBoundCrowdTheirCpusOnlyIfThereAreMoreOfThem) {
  const std::array two{on_cpus(0b11), on_cpus(0b11), on_cpus(0b11)};
  EXPECT_FALSE(is_crowded(two.data(), 2, 0));
  EXPECT_TRUE(is_crowded(two.data(), 3, 2));
}

TEST(WaitPolicy, OfBoundRanksOnlyThoseOnTheSameCpuCount) {
  const std::array bound{on_cpus(0b01), on_cpus(0b10), on_cpus(0b10)};
  EXPECT_FALSE(is_crowded(bound.data(), 3, 0));
  EXPECT_TRUE(is_crowded(bound.data(), 3, 1));
}

TEST(WaitPolicy, EntriesThatAreNotCompleteDoNotCount) {
  std::array ranks{on_cpus(0b1), on_cpus(0b1)};
  ranks[1].ready = 0;
  EXPECT_FALSE(is_crowded(ranks.data(), 2, 0));
}

TEST(WaitPolicy, ARankWithoutKnownCpusYields) {
  const std::array ranks{on_cpus(0)};
  EXPECT_TRUE(is_crowded(ranks.data(), 1, 0));
}

TEST(WaitPolicy, AWaitBeginsWithItsCallOfMpi) {
  Wait wait{};
  EXPECT_EQ(wait.poll(1000, 7), 0u);
  EXPECT_EQ(wait.poll(5000, 7), 4000u);
  EXPECT_EQ(wait.poll(6000, 8), 0u);
  EXPECT_EQ(wait.poll(6500, 8), 500u);
}

TEST(WaitPolicy, RanksSleepOnlyBesideOtherPrograms) {
  EXPECT_EQ(automatic_action(false, false, kMs), Action::pause);
  EXPECT_EQ(automatic_action(true, false, kMs), Action::yield);
  EXPECT_EQ(automatic_action(true, true, 0), Action::sleep);
  EXPECT_EQ(automatic_action(false, true, kAwakeNs - 1), Action::pause);
  EXPECT_EQ(automatic_action(false, true, kAwakeNs), Action::sleep);
}

TEST(WaitPolicy, ASleepIsAFractionOfTheWaitWithinLimits) {
  EXPECT_EQ(sleep_ns(0), kLeastSleepNs);
  EXPECT_EQ(sleep_ns(200 * kUs), 50 * kUs);
  EXPECT_EQ(sleep_ns(10 * kMs), kMostSleepNs);
}

TEST(WaitPolicy, OneSignOfOtherProgramsIsNone) {
  Signs signs{};
  EXPECT_EQ(signs.add(kMs), 0u);
  EXPECT_EQ(signs.add(kMs + kTogetherNs), 0u);  // too long after the first
  EXPECT_EQ(signs.add(2 * kMs + kTogetherNs), 2 * kMs + kTogetherNs + kFirstDisturbedNs);
}

TEST(WaitPolicy, SignsSoonAfterADisturbanceDoubleTheNextOneUpToALimit) {
  Signs signs{};
  std::uint64_t now = kMs;
  std::uint64_t length = 0;
  for (int round = 0; round < 8; ++round) {
    signs.add(now);
    const std::uint64_t until = signs.add(now + kMs);
    ASSERT_NE(until, 0u);
    const std::uint64_t next = until - (now + kMs);
    EXPECT_EQ(next, round == 0 ? kFirstDisturbedNs : std::min(2 * length, kMostDisturbedNs));
    length = next;
    now = until + kMs;
  }
  now += 1000 * kMs;
  signs.add(now);
  EXPECT_EQ(signs.add(now + kMs), now + kMs + kFirstDisturbedNs);
}

TEST(WaitPolicy, OtherProgramsRanIfOwnRanksUsedLessThanTheirCpus) {
  EXPECT_FALSE(others_ran(195 * kMs, 100 * kMs, 2));
  EXPECT_TRUE(others_ran(150 * kMs, 100 * kMs, 2));
  EXPECT_FALSE(others_ran(0, 0, 2));
}

}  // namespace
}  // namespace plait::preload::wait
