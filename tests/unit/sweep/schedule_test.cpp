// SPDX-License-Identifier: BSD-3-Clause
// The order of runs, when points are done, the budget and time limits.
#include "sweep/schedule.hpp"

#include <gtest/gtest.h>

#include "made_up_sweep.hpp"

namespace plait::sweep {
namespace {

double exact(const Point& point, int) {
  return 4.0 / point.cores();
}

/// Differs by half of itself from run to run.
double noisy(const Point& point, int repetition) {
  return exact(point, 0) * (1 + 0.5 * (repetition % 2));
}

std::string order_of(Sweep sweep, const Times& times) {
  std::string order;
  for (auto next = next_run(sweep); next; next = next_run(sweep)) {
    order += std::to_string(sweep.points[next->point].point.ranks);
    make_run(sweep, times);
  }
  return order;
}

TEST(Schedule, RoundsAlternateInDirection) {
  Sweep sweep = made_up_sweep({"ranks=1,2,4"});
  sweep.limits.repeat = 3;
  EXPECT_EQ(order_of(sweep, exact), "124421124");
}

TEST(Schedule, APointIsDoneWhenItsIntervalIsNarrow) {
  Sweep sweep = made_up_sweep({"ranks=1,2"});
  const Times times = [](const Point& point, int repetition) {
    return point.ranks == 1 ? exact(point, 0) : noisy(point, repetition);
  };
  EXPECT_EQ(order_of(sweep, times), "1221122112212222");
  EXPECT_EQ(rest_of(sweep).fewest, 12);
  EXPECT_EQ(rest_of(sweep).most, 20);
  EXPECT_FALSE(rest_of(sweep).most_s.has_value());
}

TEST(Schedule, GoesOnAfterAnyRunAsIfItHadNotBeenInterrupted) {
  const Sweep begin = made_up_sweep({"ranks=1,2,4", "threads=1,2"});
  const std::string whole = order_of(begin, noisy);
  for (std::size_t runs = 1; runs < whole.size(); runs += 7) {
    Sweep sweep = begin;
    for (std::size_t i = 0; i < runs; ++i) make_run(sweep, noisy);
    EXPECT_EQ(order_of(sweep, noisy), whole.substr(runs));
  }
}

TEST(Schedule, AFailedPointIsNotRepeatedAndOthersGoOn) {
  Sweep sweep = made_up_sweep({"ranks=1,2,4"});
  sweep.limits.repeat = 2;
  sweep.points[1].failure = PointFailure{};
  EXPECT_EQ(order_of(sweep, exact), "1441");
}

TEST(Schedule, TheBudgetEndsBeforeARunThatWouldExceedIt) {
  Sweep sweep = made_up_sweep({"ranks=1,2,4"});
  sweep.limits.budget_s = 10;  // a round takes 7 s
  make_all_runs(sweep, exact);
  EXPECT_EQ(sweep.spent_s, 10);
  EXPECT_EQ(sweep.points[2].runs.size(), 2U);
  EXPECT_EQ(sweep.points[0].runs.size(), 1U) << "its second run would not fit";
}

TEST(Schedule, ASmartSweepRepeatsOnlyWhatMayBeBest) {
  Sweep sweep = made_up_sweep({"ranks=1,2,3,4,6,8,9,10,11,12,14,16"});
  sweep.limits.repeat = 6;
  sweep.smart = true;
  const Times times = [](const Point& point, int repetition) {
    const int ranks = point.ranks;
    return (8.0 / ranks + 0.02 * ranks * ranks) * (1 + 0.02 * ((repetition * ranks) % 3));
  };
  std::size_t runs = 0;
  while (make_run(sweep, times)) ++runs;
  EXPECT_LE(runs, 12U * 6 / 2);
  EXPECT_EQ(sweep.points[4].runs.size(), 6U) << "the best";
  EXPECT_EQ(sweep.points[3].runs.size(), 2U) << "an eighth more";
  EXPECT_EQ(sweep.points[0].runs.size(), 1U) << "four times as much";
  EXPECT_EQ(done_points(sweep)[0], Done::clearly_worse);
}

TEST(Schedule, LimitsFollowFromWhatIsExpected) {
  Sweep sweep = made_up_sweep({"ranks=4,1"});
  EXPECT_FALSE(next_run(sweep)->limit_s.has_value());
  make_run(sweep, exact);  // 1 s on 4 ranks
  EXPECT_EQ(*expected_s(sweep, sweep.points[1]), 4);
  EXPECT_EQ(*next_run(sweep)->limit_s, 40);
  sweep.limits.budget_s = 21;
  EXPECT_EQ(*next_run(sweep)->limit_s, 20);
  EXPECT_TRUE(next_run(sweep)->limited_by_budget);
  sweep.limits.time_limit_s = 3;
  EXPECT_EQ(*next_run(sweep)->limit_s, 3);
}

}  // namespace
}  // namespace plait::sweep
