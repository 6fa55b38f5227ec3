// SPDX-License-Identifier: BSD-3-Clause
// Predictions of the automatic schedule from measured costs, in cases with a known answer.
#include <gtest/gtest.h>

#include "plait/schedule.hpp"
#include "solve/automatic/prediction.hpp"

namespace {

using plait::Communicator;
using plait::Schedule;
using plait::ScheduleKind;
using plait::solve::Calibrated;
using plait::solve::NodeCores;

/// Stengel's case (2010, 4.2.2): 120^3 cells, two cores take 8.73 ms, one 9.76 ms, six faces at
/// 85 MB/s 8.13 ms.
Calibrated stengel() {
  Calibrated costs;
  costs.threads = 2;
  costs.own_cells = 120.0 * 120 * 120;
  costs.interior_cells = 118.0 * 118 * 118;
  costs.boundary_cells = costs.own_cells - costs.interior_cells;
  costs.compute_s = {8.73e-3, 8.73e-3, 8.73e-3};
  const double less = 9.76e-3 * costs.interior_cells / costs.own_cells;
  costs.interior_less_one_s = {less, less, less};
  costs.communicate_s = {8.13e-3, 8.13e-3, 8.13e-3};
  costs.costs.compute_s = 8.73e-3;
  costs.costs.communicate_s = 8.13e-3;
  return costs;
}

Schedule comm_thread(Communicator communicator) {
  Schedule schedule(ScheduleKind::comm_thread);
  schedule.communicator = communicator;
  return schedule;
}

TEST(AutomaticPrediction, StengelsCaseGainsByADedicatedThread) {
  const Calibrated costs = stengel();
  const NodeCores node{1, 2, 2, 0, true, false};
  const double blocking = predict(ScheduleKind::blocking, costs, node).s;
  EXPECT_NEAR(blocking, 8.73e-3 + 8.13e-3, 1e-8);
  EXPECT_NEAR(predict(ScheduleKind::nonblocking, costs, node).s, blocking, 1e-8)
      << "nonblocking gains nothing if MPI does not progress by itself";
  const double team = predict(comm_thread(Communicator::team_thread), costs, node).s;
  EXPECT_GT(blocking / team, 1.7);
  EXPECT_LT(blocking / team, 1.85);
}

TEST(AutomaticPrediction, AnExtraThreadPaysForItsCpuTimeUnlessItOwnsACore) {
  Calibrated costs = stengel();
  costs.costs.communication_cpu_s = 2e-3;
  const Schedule beside = comm_thread(Communicator::extra_thread);
  const double sharing = predict(beside, costs, {1, 2, 2, 0, true, false}).s;
  const double owning = predict(beside, costs, {1, 2, 3, 0, true, true}).s;
  EXPECT_NEAR(sharing - owning, 2e-3, 0.7e-3);
}

TEST(AutomaticPrediction, ProgressOfTheLibraryShortensNonblocking) {
  Calibrated costs = stengel();
  const NodeCores node{1, 2, 2, 0, true, false};
  costs.costs.progress = 0.5;
  EXPECT_NEAR(predict(ScheduleKind::nonblocking, costs, node).s, 8.73e-3 + 8.13e-3 / 2, 1e-5);
}

TEST(AutomaticPrediction, IntervalsHoldTheirValues) {
  Calibrated costs = stengel();
  costs.compute_s.low = 8.5e-3;
  costs.compute_s.high = 9.5e-3;
  costs.communicate_s.low = 7e-3;
  costs.communicate_s.high = 12e-3;
  costs.costs.communication_cpu_s = 1e-3;
  costs.costs.boundary_s = 1e-3;
  for (const ScheduleKind kind : plait::schedule_kinds()) {
    const auto time = predict(kind, costs, {1, 2, 2, 0, true, false});
    EXPECT_LE(time.low_s, time.s) << to_string(kind);
    EXPECT_LE(time.s, time.high_s) << to_string(kind);
    EXPECT_GT(time.high_s - time.low_s, 1e-3) << to_string(kind);
  }
}

TEST(AutomaticPrediction, AStepTooShortForTheClockDoesNotDivideByZero) {
  Calibrated costs;
  costs.own_cells = 1;
  costs.boundary_cells = 1;
  for (const ScheduleKind kind : plait::schedule_kinds()) {
    EXPECT_GE(predict(kind, costs, {}).s, 0) << to_string(kind);
  }
}

}  // namespace
