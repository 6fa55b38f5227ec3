// SPDX-License-Identifier: BSD-3-Clause
// The choice after a trial: blocking unless another schedule is clearly faster.
#include "solve/automatic/turns.hpp"

#include <gtest/gtest.h>

#include <array>

namespace plait::solve {
namespace {

TEST(Turns, KeepTheFirstScheduleUnlessAnotherIsClearlyFaster) {
  const Tried first{1, 1, 1};
  const Tried slightly{0.98, 0.98, 0.99};
  const Tried sometimes{0.9, 0.9, 1.1};  // slower in a quarter of the rounds
  const Tried clearly{0.95, 0.95, 0.99};
  EXPECT_EQ(clearly_fastest(std::array{first}, 0), 0U);
  EXPECT_EQ(clearly_fastest(std::array{first, slightly, sometimes}, 0), 0U);
  EXPECT_EQ(clearly_fastest(std::array{first, slightly, sometimes, clearly}, 0), 3U);
  // One that is in use stays while it gains at all.
  EXPECT_EQ(clearly_fastest(std::array{first, slightly}, 1), 1U);
  EXPECT_EQ(clearly_fastest(std::array{first, slightly, clearly}, 1), 2U);
  EXPECT_EQ(clearly_fastest(std::array{first, Tried{1, 0.995, 0.996}}, 1), 0U);
}

TEST(Turns, AreLongEnoughToBeTimed) {
  EXPECT_EQ(steps_per_turn(1.0), 2);
  EXPECT_EQ(steps_per_turn(1e-4), 20);
  EXPECT_EQ(steps_per_turn(0), 40);
}

TEST(Turns, CountTheStepsThatAreLeft) {
  Turns turns(2, 3, 4);
  EXPECT_EQ(turns.steps_left(), 2 * 3 * 5);
  EXPECT_EQ(turns.current(), 0U);
  EXPECT_FALSE(turns.done());
}

}  // namespace
}  // namespace plait::solve
