// SPDX-License-Identifier: BSD-3-Clause
// The overlap operators: published figures, limits, and monotonicity.
#include "model/overlap.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "csv.hpp"

namespace plait::model {
namespace {

/// Townsend (Stengel 2010, section 2.1) and one face of 120^3 cells.
const SpeedTable& townsend() {
  static const SpeedTable table({{1, 177e6}, {2, 198e6}});
  return table;
}
constexpr double kCells = 120.0 * 120 * 120;

StepWork work_of(double communicate_s) {
  StepWork work;
  work.cells = kCells;
  work.communicate_s = communicate_s;
  return work;
}

using Operator = std::function<Predicted(const StepWork&, const SpeedTable&, int)>;

const std::vector<Operator>& operators() {
  static const std::vector<Operator> all{
      blocking_time,
      [](const auto& w, const auto& s, int p) { return nonblocking_time(w, s, p, 0.5); },
      [](const auto& w, const auto& s, int p) { return nonblocking_time(w, s, p, 1); },
      [](const auto& w, const auto& s, int p) { return comm_thread_time(w, s, p, false); },
      [](const auto& w, const auto& s, int p) { return comm_thread_time(w, s, p, true); },
      tasks_time,
      ideal_overlap_time};
  return all;
}

TEST(Overlap, TasksOnCoresThatDoNotSaturateAreVietsEquation7) {
  // Viet et al. 2005, table 4, Sun: all of T_m = 114 s overlaps; T_PC - T_TC = T_m (n - 1) / n.
  constexpr double kCommunicate = 114;
  const std::vector<double> expected{57.0, 85.5, 99.75};
  std::size_t at = 0;
  for (const CsvRow& row : read_csv("viet/viet_table_4.csv")) {
    if (row.at("cluster") != "sun") continue;
    const int nppn = static_cast<int>(number(row, "nppn"));
    const SpeedTable speed = SpeedTable::linear(1, nppn);
    StepWork work;
    work.communicate_s = kCommunicate;
    work.cells = (number(row, "T_PC_s") - kCommunicate) * nppn;
    const double pc = blocking_time(work, speed, nppn).s;
    const double tc = tasks_time(work, speed, nppn).s;
    EXPECT_DOUBLE_EQ(pc, number(row, "T_PC_s"));
    ASSERT_LT(at, expected.size());
    EXPECT_NEAR(pc - tc, expected[at++], 1e-9) << nppn << " processors a node";
    // "The formula extremely coincides with the actual values" (section 4): within 2 s.
    EXPECT_NEAR(tc, number(row, "T_TC_s"), 2);
  }
  EXPECT_EQ(at, expected.size());
}

TEST(Overlap, StengelsSweepsOfSection21) {
  EXPECT_NEAR(blocking_time(work_of(0), townsend(), 1).s, 9.76e-3, 5e-6);
  EXPECT_NEAR(blocking_time(work_of(0), townsend(), 2).s, 8.73e-3, 5e-6);
  // Equation 2.5: one of two threads computes until the exchange takes longer.
  EXPECT_NEAR(comm_thread_time(work_of(7.8e-3), townsend(), 2, false).s, 9.76e-3, 5e-6);
  EXPECT_DOUBLE_EQ(comm_thread_time(work_of(12e-3), townsend(), 2, false).s, 12e-3);
}

TEST(Overlap, WithoutCommunicationAllButTheDedicatedThreadTakeTheSweep) {
  const double sweep = kCells / 198e6;
  EXPECT_DOUBLE_EQ(blocking_time(work_of(0), townsend(), 2).s, sweep);
  EXPECT_DOUBLE_EQ(nonblocking_time(work_of(0), townsend(), 2, 1).s, sweep);
  EXPECT_DOUBLE_EQ(comm_thread_time(work_of(0), townsend(), 2, true).s, sweep);
  EXPECT_DOUBLE_EQ(tasks_time(work_of(0), townsend(), 2).s, sweep);
  EXPECT_DOUBLE_EQ(ideal_overlap_time(work_of(0), townsend(), 2).s, sweep);
  EXPECT_DOUBLE_EQ(comm_thread_time(work_of(0), townsend(), 2, false).s, kCells / 177e6);
}

TEST(Overlap, ALongExchangeHidesAllComputation) {
  for (const bool extra : {false, true}) {
    EXPECT_DOUBLE_EQ(comm_thread_time(work_of(1), townsend(), 2, extra).s, 1);
  }
  EXPECT_DOUBLE_EQ(tasks_time(work_of(1), townsend(), 2).s, 1);
  EXPECT_DOUBLE_EQ(nonblocking_time(work_of(1), townsend(), 2, 1).s, 1);
}

TEST(Overlap, TasksAreContinuousWhereTheExchangeBecomesTheWhole) {
  const double at = kCells / 177e6;
  EXPECT_NEAR(tasks_time(work_of(at - 1e-9), townsend(), 2).s, at, 1e-9);
  EXPECT_NEAR(tasks_time(work_of(at + 1e-9), townsend(), 2).s, at, 2e-9);
}

TEST(Overlap, ProgressGoesFromTheSumToTheLarger) {
  const StepWork work = work_of(5e-3);
  EXPECT_DOUBLE_EQ(nonblocking_time(work, townsend(), 2, 0).s,
                   blocking_time(work, townsend(), 2).s);
  EXPECT_DOUBLE_EQ(nonblocking_time(work, townsend(), 2, 1).s,
                   ideal_overlap_time(work, townsend(), 2).s);
  double before = nonblocking_time(work, townsend(), 2, 0).s;
  for (const double progress : {0.25, 0.5, 0.75, 1.0}) {
    const double now = nonblocking_time(work, townsend(), 2, progress).s;
    EXPECT_LT(now, before);
    before = now;
  }
  EXPECT_DOUBLE_EQ(nonblocking_time(work, townsend(), 2, 7).s,
                   nonblocking_time(work, townsend(), 2, 1).s);
}

TEST(Overlap, BoundaryCellsWaitForTheExchange) {
  StepWork work = work_of(20e-3);
  work.boundary_cells = 0.25 * kCells;
  EXPECT_DOUBLE_EQ(comm_thread_time(work, townsend(), 2, false).s,
                   20e-3 + work.boundary_cells / 177e6);
  for (const auto& time :
       {comm_thread_time(work, townsend(), 2, true), tasks_time(work, townsend(), 2),
        ideal_overlap_time(work, townsend(), 2)}) {
    EXPECT_DOUBLE_EQ(time.s, 20e-3 + work.boundary_cells / 198e6);
  }
  // A box of only boundary cells cannot overlap at all.
  work.boundary_cells = work.cells;
  EXPECT_DOUBLE_EQ(tasks_time(work, townsend(), 2).s, blocking_time(work, townsend(), 2).s);
  EXPECT_DOUBLE_EQ(nonblocking_time(work, townsend(), 2, 1).s,
                   blocking_time(work, townsend(), 2).s);
}

TEST(Overlap, AnExtraThreadTakesItsCpuTimeFromTheTeam) {
  StepWork work = work_of(1e-3);
  work.communication_cpu_s = 0.6e-3;
  const Predicted time = comm_thread_time(work, townsend(), 1, true);
  EXPECT_DOUBLE_EQ(time.s, kCells / 177e6 + 0.6e-3);
  EXPECT_DOUBLE_EQ(comm_thread_time(work, townsend(), 1, false).s, time.s)
      << "a team of one has no thread to dedicate";
}

TEST(Overlap, IntervalsHoldTheValueAndFollowTheInputs) {
  const SpeedTable speed =
      SpeedTable::with_intervals({{1, 177e6, 170e6, 180e6}, {2, 198e6, 190e6, 200e6}});
  StepWork work = work_of(5e-3);
  work.communicate_low_s = 4e-3;
  work.communicate_high_s = 7e-3;
  const Predicted blocking = blocking_time(work, speed, 2);
  EXPECT_DOUBLE_EQ(blocking.low_s, kCells / 200e6 + 4e-3);
  EXPECT_DOUBLE_EQ(blocking.high_s, kCells / 190e6 + 7e-3);
  work.boundary_cells = 1e5;
  work.communication_cpu_s = 1e-3;
  for (const Operator& time : operators()) {
    for (int threads = 1; threads <= 2; ++threads) {
      const Predicted predicted = time(work, speed, threads);
      EXPECT_LT(predicted.low_s, predicted.s);
      EXPECT_GT(predicted.high_s, predicted.s);
    }
  }
}

TEST(Overlap, ExactInputsOfAnExactFormHaveNoInterval) {
  for (const Operator& time : {operators()[0], operators()[3], operators()[5], operators()[6]}) {
    const Predicted predicted = time(work_of(5e-3), townsend(), 2);
    EXPECT_DOUBLE_EQ(predicted.low_s, predicted.s);
    EXPECT_DOUBLE_EQ(predicted.high_s, predicted.s);
  }
}

TEST(Overlap, NothingBeatsTheBoundAndNothingIsSlowerThanTheSum) {
  const SpeedTable speed({{1, 1e8}, {2, 1.7e8}, {4, 2.2e8}, {8, 2.3e8}});
  for (const int threads : {2, 3, 4, 8}) {
    for (double communicate_s = 0; communicate_s < 0.1; communicate_s += 1e-3) {
      StepWork work = work_of(communicate_s);
      work.boundary_cells = 1e4;
      const double bound = ideal_overlap_time(work, speed, threads).s * (1 - 1e-12);
      const double sum = blocking_time(work, speed, threads).s * (1 + 1e-12);
      for (const double s :
           {nonblocking_time(work, speed, threads, 0.3).s,
            comm_thread_time(work, speed, threads, true).s, tasks_time(work, speed, threads).s}) {
        EXPECT_GE(s, bound);
        EXPECT_LE(s, sum);
      }
      EXPECT_GE(comm_thread_time(work, speed, threads, false).s, bound);
    }
  }
}

TEST(Overlap, MoreCommunicationMoreWorkOrSlowerCoresNeverMakeAStepFaster) {
  for (const Operator& time : operators()) {
    for (int threads = 1; threads <= 2; ++threads) {
      double before = 0;
      for (double communicate_s = 0; communicate_s < 30e-3; communicate_s += 0.5e-3) {
        const double now = time(work_of(communicate_s), townsend(), threads).s;
        EXPECT_GE(now, before * (1 - 1e-12));
        before = now;
        StepWork more = work_of(communicate_s);
        more.cells *= 1.1;
        EXPECT_GE(time(more, townsend(), threads).s, now);
        const SpeedTable slower({{1, 160e6}, {2, 190e6}});
        EXPECT_GE(time(work_of(communicate_s), slower, threads).s, now);
      }
    }
  }
}

}  // namespace
}  // namespace plait::model
