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
  /// Two such intervals, of which the first does not lead to a move.
  static std::optional<Move> twice(Decider& decider, const Interval& interval) {
    EXPECT_FALSE(decider.decide(interval));
    return decider.decide(interval);
  }
};

TEST_F(Decisions, MovePairsTogetherWhenThePatternChanges) {
  Decider decider(costs_, places_);
  EXPECT_FALSE(twice(decider, pairs(0, 1, 2, 3)));
  const auto move = twice(decider, pairs(0, 2, 1, 3));
  ASSERT_TRUE(move);
  EXPECT_FALSE(move->revert);
  EXPECT_GT(move->predicted_gain_s, move->cost_s);
  EXPECT_EQ(package(decider, 0), package(decider, 2));
  EXPECT_EQ(package(decider, 1), package(decider, 3));
  EXPECT_NE(package(decider, 0), package(decider, 1));
  // It became faster, and stays there.
  EXPECT_FALSE(twice(decider, pairs(0, 2, 1, 3, 2.5e5)));
  EXPECT_EQ(decider.moves()[0].effect, Effect::faster);
  EXPECT_NEAR(decider.moves()[0].speed, 1.25, 1e-9);
  // Another pattern gets other places.
  ASSERT_TRUE(twice(decider, pairs(0, 3, 1, 2)));
  EXPECT_EQ(package(decider, 0), package(decider, 3));
}

TEST_F(Decisions, RevertAMoveThatDidNotHelpAndDoNotRepeatIt) {
  Decider decider(costs_, places_);
  const std::vector<int> first = decider.now();
  ASSERT_TRUE(twice(decider, pairs(0, 2, 1, 3)));
  const auto back = twice(decider, pairs(0, 2, 1, 3, 1.9e5));
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

// The ranks of the second phase send less than those of the first, which are in good places. An
// interval of both phases resembles the second one, and has more messages than it can ever have.
TEST_F(Decisions, LeaveAnIntervalOfTwoPhasesAlone) {
  Decider decider(costs_, places_);
  EXPECT_FALSE(twice(decider, pairs(0, 1, 2, 3, 4e5)));
  Interval both = pairs(0, 2, 1, 3, 2e5);
  exchange(both, 0, 1, 8e4, 8e7);
  exchange(both, 2, 3, 8e4, 8e7);
  ASSERT_GT(similarity(both, pairs(0, 2, 1, 3)), Caution{}.same_pattern);
  EXPECT_FALSE(decider.decide(both));
  // At most half as many per second, so they are of different phases.
  const Interval second = pairs(0, 2, 1, 3, 1e5);
  EXPECT_FALSE(decider.decide(second));
  ASSERT_TRUE(decider.decide(second));
  EXPECT_FALSE(twice(decider, pairs(0, 2, 1, 3, 1.2e5)));
  EXPECT_EQ(decider.moves()[0].effect, Effect::faster);
  EXPECT_NEAR(decider.moves()[0].speed, 1.2, 1e-9);
  EXPECT_EQ(decider.moves().size(), 1U);
}

// The phase ends within the second interval after the move.
TEST_F(Decisions, DoNotJudgeAMoveByAnIntervalOfTwoPhases) {
  Decider decider(costs_, places_);
  ASSERT_TRUE(twice(decider, pairs(0, 2, 1, 3)));
  EXPECT_FALSE(decider.decide(pairs(0, 2, 1, 3, 2.5e5)));
  EXPECT_FALSE(decider.decide(pairs(0, 2, 1, 3, 1e5)));
  EXPECT_EQ(decider.moves()[0].effect, Effect::unknown);
  // It goes on computing, and then again as before.
  EXPECT_FALSE(decider.decide(second_of(4, 0)));
  EXPECT_FALSE(twice(decider, pairs(0, 2, 1, 3, 2.5e5)));
  EXPECT_EQ(decider.moves().size(), 1U);
}

TEST_F(Decisions, JudgeByTheFasterOfTwoIntervals) {
  Decider decider(costs_, places_);
  ASSERT_TRUE(twice(decider, pairs(0, 2, 1, 3)));
  EXPECT_FALSE(decider.decide(pairs(0, 2, 1, 3, 2.2e5)));
  EXPECT_FALSE(decider.decide(pairs(0, 2, 1, 3, 1.9e5)));
  EXPECT_EQ(decider.moves()[0].effect, Effect::faster);
  EXPECT_NEAR(decider.moves()[0].speed, 1.1, 1e-9);
}

TEST_F(Decisions, AreMadeAtOnceIfTheProgramAsks) {
  Decider decider(costs_, places_);
  EXPECT_FALSE(twice(decider, pairs(0, 1, 2, 3)));
  ASSERT_TRUE(decider.decide(pairs(0, 2, 1, 3), true));
  // The interval before may have been of two phases, so nothing judges the move.
  EXPECT_FALSE(twice(decider, pairs(0, 2, 1, 3, 1e5)));
  EXPECT_EQ(decider.moves()[0].effect, Effect::unknown);
}

TEST_F(Decisions, DoNotJudgeAMoveByAnotherPattern) {
  Decider decider(costs_, places_);
  ASSERT_TRUE(twice(decider, pairs(0, 2, 1, 3)));
  (void)decider.decide(pairs(0, 1, 2, 3, 10));
  EXPECT_EQ(decider.moves()[0].effect, Effect::another_pattern);
}

TEST_F(Decisions, LeaveRanksWhereMovingCostsMoreThanItGains) {
  Decider decider(costs_, places_);
  EXPECT_FALSE(twice(decider, pairs(0, 2, 1, 3, 2000)));
  EXPECT_FALSE(twice(decider, second_of(4, 0)));
  Interval empty;
  empty.busy_s = empty.mpi_s = std::vector<double>(4, 0);
  EXPECT_FALSE(twice(decider, empty));
}

TEST_F(Decisions, SpreadRanksThatSendNothing) {
  places_ = bound_places(machine_, {0, 1, 2, 4});
  const PlaceCosts costs(machine_, places_.all);
  Decider decider(costs, places_);
  Interval interval = second_of(4, 0);
  interval.busy_s[3] = 0;
  ASSERT_TRUE(twice(decider, interval));
  EXPECT_NE(decider.now()[3], 3);
  EXPECT_FALSE(twice(decider, interval));
  EXPECT_EQ(decider.moves()[0].effect, Effect::unknown);
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
