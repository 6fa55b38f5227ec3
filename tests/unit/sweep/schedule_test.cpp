// SPDX-License-Identifier: BSD-3-Clause
// The order of runs, when points are done, the budget and time limits.
#include "sweep/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "made_up_sweep.hpp"
#include "sweep/forecast.hpp"
#include "sweep/result.hpp"

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

/// Times of made-up programs, for smart sweeps.
struct MadeUp {
  const char* name;
  double (*seconds)(double ranks, double threads);
};

constexpr std::array<MadeUp, 5> kPrograms{{
    {"best in between", [](double r, double t) { return 8 / (r * t) + 0.02 * r * r + 0.1 * t; }},
    {"threads do not pay", [](double r, double t) { return 1 + 8 / r + 0.5 * t; }},
    {"ranks do not pay", [](double r, double t) { return 1 + 6 / t + 0.3 * r * r; }},
    {"scales", [](double r, double t) { return 0.1 + 20 / (r * t); }},
    {"does not scale", [](double r, double t) { return 1 + 0.3 * r * t; }},
}};

TEST(Schedule, ASmartSweepFindsTheBestInAtMostHalfOfTheRuns) {
  for (const MadeUp& program : kPrograms) {
    Sweep sweep = made_up_sweep({"ranks=1,2,3,4,6,8,12,16", "threads=1,2,4,8"});
    sweep.limits.repeat = 6;
    sweep.smart = true;
    const auto exact_s = [&](const Point& point) {
      return program.seconds(point.ranks, point.threads);
    };
    int runs = 0;
    const Times times = [&](const Point& point, int) {
      return exact_s(point) * (1 + 0.01 * (++runs * 7 % 5));
    };
    make_all_runs(sweep, times);
    EXPECT_LE(runs, 32 * 6 / 2) << program.name;
    const auto by_time = [&](const SweepPoint& point) { return exact_s(point.point); };
    const double best = by_time(*std::ranges::min_element(sweep.points, {}, by_time));
    const SweepResult result = result_of(sweep);
    const SweepPoint& found = sweep.points[result.workloads[0].best];
    EXPECT_LE(by_time(found), 1.05 * best) << program.name << ": " << found.point.name;
    EXPECT_EQ(found.runs.size(), 6U) << program.name;
  }
}

/// A smart sweep of a program that has 2 s of work and uses two CPUs.
Sweep smart_sweep_on_two_cpus(double parallel_efficiency) {
  Sweep sweep = made_up_sweep({"ranks=1,2,3,4", "threads=1,2"});
  sweep.limits.repeat = 3;
  sweep.smart = true;
  while (make_run(sweep, [](const Point& point, int repetition) {
    return 2.0 / std::min(point.cores(), 2) * (1 + 0.04 * repetition);
  })) {
    for (SweepPoint& point : sweep.points) {
      for (PointRun& run : point.runs) {
        run.cpus = 2;
        run.factors.parallel = parallel_efficiency;
      }
    }
  }
  return sweep;
}

TEST(Schedule, ASmartSweepLeavesOutPointsThatShareCpusIfNothingWaits) {
  const Sweep sweep = smart_sweep_on_two_cpus(0.97);
  const std::vector<Done> done = done_points(sweep);
  std::size_t runs = 0, left_out = 0;
  for (std::size_t i = 0; i < done.size(); ++i) {
    runs += sweep.points[i].runs.size();
    if (done[i] != Done::no_better) continue;
    ++left_out;
    EXPECT_GT(sweep.points[i].point.cores(), 2);
    EXPECT_NEAR(Forecasts(sweep).bound_of(sweep.points[i])->value, 0.97 * 1.08, 0.05);
  }
  EXPECT_EQ(left_out, 4U) << "of five, one showed that they share CPUs";
  EXPECT_LE(runs, 8U * 3 / 2);
}

TEST(Schedule, FewerRanksDoNotShowThatMoreShareCpus) {
  Sweep sweep = smart_sweep_on_two_cpus(0.97);
  for (SweepPoint& point : sweep.points) {
    if (point.point.ranks == 4) point.runs.clear();
  }
  const Forecasts forecasts(sweep);
  EXPECT_FALSE(forecasts.shares_cpus(sweep.points.back())) << "each rank may have a CPU of its own";
}

TEST(Schedule, PointsThatShareCpusRunIfLessWaitingMayPay) {
  const Sweep sweep = smart_sweep_on_two_cpus(0.7);
  for (const SweepPoint& point : sweep.points) EXPECT_FALSE(point.runs.empty()) << point.point.name;
}

TEST(Schedule, PointsCanBePredictedFromThreeOthersInALine) {
  EXPECT_TRUE(can_forecast(made_up_sweep({"ranks=1,2,4,8"})));
  EXPECT_TRUE(can_forecast(made_up_sweep({"ranks=1,2", "threads=1,2,3,4"})));
  EXPECT_FALSE(can_forecast(made_up_sweep({"ranks=1,2,4"})));
  EXPECT_FALSE(can_forecast(made_up_sweep({"ranks=1,2", "size=1,2,3,4"})));
}

TEST(Schedule, ASmartSweepNamesWhatItPredicts) {
  Sweep sweep = made_up_sweep({"ranks=1,2,3,4,6,8,12,16"});
  sweep.smart = true;
  make_all_runs(sweep, [](const Point& point, int) { return 20.0 / point.ranks; });
  const std::vector<Done> done = done_points(sweep);
  EXPECT_EQ(done[0], Done::worse) << "the fewest cores run once";
  EXPECT_EQ(sweep.points[0].runs.size(), 1U);
  EXPECT_EQ(done[1], Done::predicted_worse);
  EXPECT_EQ(done[7], Done::enough);
  EXPECT_NEAR(Forecasts(sweep).of(sweep.points[1])->value, 10, 1e-6);
  EXPECT_FALSE(Forecasts(sweep).of(sweep.points[7]).has_value()) << "nothing has more cores";
}

TEST(Schedule, ASmartSweepRepeatsWhatMayBeAsGoodAsTheBest) {
  Sweep sweep = made_up_sweep({"ranks=1,2,3"});
  sweep.smart = true;
  sweep.host_cpus = 2;
  for (SweepPoint& point : sweep.points) point.runs.resize(1);
  const auto set = [&](std::size_t point, std::size_t run, double seconds) {
    sweep.points[point].runs.resize(std::max(sweep.points[point].runs.size(), run + 1));
    PointRun& of = sweep.points[point].runs[run];
    of.value = of.wall_s = seconds;
  };
  set(0, 0, 1), set(1, 0, 1.2), set(2, 0, 1.3);
  EXPECT_EQ(done_points(sweep), (std::vector{Done::no, Done::no, Done::worse}));
  sweep.points[2].runs[0].other_cpus = 1;
  EXPECT_EQ(done_points(sweep)[2], Done::no) << "other programs may have slowed it down";
  set(0, 1, 1.1), set(1, 1, 1.06);
  EXPECT_EQ(done_points(sweep)[1], Done::worse) << "no run is as fast as 1.05 s";
  set(1, 1, 1.04);
  EXPECT_EQ(done_points(sweep)[1], Done::no);
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
