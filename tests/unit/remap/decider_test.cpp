// SPDX-License-Identifier: BSD-3-Clause
// Decisions over several intervals: moves that pay, their judgement, reverts.
#include "remap/decider.hpp"

#include <gtest/gtest.h>

#include "remap/remap_cases.hpp"

namespace plait::remap {
namespace {

/// Four ranks, bound to cores 0, 2 (package 0) and 4, 6 (package 1).
class Decisions : public testing::Test {
protected:
  machine::MachineFile machine_ = machine::open_machine("clovertown");
  Places places_ = bound_places(machine_, {0, 2, 4, 6});
  PlaceCosts costs_{machine_, places_.all};

  /// Ranks a, b and c, d exchange messages.
  static Interval pairs(int a, int b, int c, int d, double messages = 2e5) {
    Interval interval = second_of(4, 0.6);
    exchange(interval, a, b, messages, 1e3 * messages);
    exchange(interval, c, d, messages, 1e3 * messages);
    return interval;
  }
  int package(const Decider& decider, std::size_t rank) const {
    const auto place = static_cast<std::size_t>(decider.now()[rank]);
    return decider.places().all[place].cores.front() / 4;
  }
};

TEST_F(Decisions, MovePairsTogetherWhenThePatternChanges) {
  Decider decider(costs_, places_);
  EXPECT_FALSE(decider.decide(pairs(0, 1, 2, 3)));
  const auto move = decider.decide(pairs(0, 2, 1, 3));
  ASSERT_TRUE(move);
  EXPECT_FALSE(move->revert);
  EXPECT_GT(move->predicted_gain_s, move->cost_s);
  EXPECT_EQ(package(decider, 0), package(decider, 2));
  EXPECT_EQ(package(decider, 1), package(decider, 3));
  EXPECT_NE(package(decider, 0), package(decider, 1));
  // It became faster, and stays there.
  EXPECT_FALSE(decider.decide(pairs(0, 2, 1, 3, 2.5e5)));
  EXPECT_EQ(decider.moves()[0].effect, Effect::faster);
  EXPECT_NEAR(decider.moves()[0].speed, 1.25, 1e-9);
  // Another pattern gets other places.
  ASSERT_TRUE(decider.decide(pairs(0, 3, 1, 2)));
  EXPECT_EQ(package(decider, 0), package(decider, 3));
}

TEST_F(Decisions, RevertAMoveThatDidNotHelpAndDoNotRepeatIt) {
  Decider decider(costs_, places_);
  const std::vector<int> first = decider.now();
  ASSERT_TRUE(decider.decide(pairs(0, 2, 1, 3)));
  const auto back = decider.decide(pairs(0, 2, 1, 3, 1.9e5));
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->revert);
  EXPECT_EQ(decider.now(), first);
  EXPECT_EQ(decider.moves()[0].effect, Effect::not_faster);
  const std::vector<int> reverted = decider.moves()[0].to;
  for (int i = 0; i < 8; ++i) {
    const auto move = decider.decide(pairs(0, 2, 1, 3));
    EXPECT_TRUE(!move || move->revert || move->to != reverted);
  }
}

TEST_F(Decisions, DoNotJudgeAMoveByAnotherPattern) {
  Decider decider(costs_, places_);
  ASSERT_TRUE(decider.decide(pairs(0, 2, 1, 3)));
  (void)decider.decide(pairs(0, 1, 2, 3, 10));
  EXPECT_EQ(decider.moves()[0].effect, Effect::another_pattern);
}

TEST_F(Decisions, LeaveRanksWhereMovingCostsMoreThanItGains) {
  Decider decider(costs_, places_);
  EXPECT_FALSE(decider.decide(pairs(0, 2, 1, 3, 2000)));
  Interval quiet = second_of(4, 0);
  EXPECT_FALSE(decider.decide(quiet));
  Interval empty;
  empty.busy_s = empty.mpi_s = std::vector<double>(4, 0);
  EXPECT_FALSE(decider.decide(empty));
}

TEST(Similarity, IsThatOfThePairsNotOfTheAmount) {
  Interval a = second_of(3, 0), b = second_of(3, 0), c = second_of(3, 0);
  exchange(a, 0, 1, 10, 0);
  exchange(b, 0, 1, 1000, 0);
  exchange(c, 1, 2, 10, 0);
  EXPECT_NEAR(similarity(a, b), 1, 1e-12);
  EXPECT_EQ(similarity(a, c), 0);
  EXPECT_EQ(similarity(a, second_of(3, 0)), 0);
}

}  // namespace
}  // namespace plait::remap
