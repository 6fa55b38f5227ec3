// SPDX-License-Identifier: BSD-3-Clause
// Predicts the time of a step under each schedule from measured costs.
#include "solve/automatic/prediction.hpp"

#include <algorithm>
#include <string>

#include "model/speed_table.hpp"

namespace plait::solve {
namespace {

/// Cells per second, from the time that some cells take.
model::SpeedPoint speed_point(int cores, double cells, const Spread& time) {
  const double s = std::max(time.median, 1e-9);
  return {cores, cells / s, cells / std::max(time.high, s), cells / std::clamp(time.low, 1e-9, s)};
}

model::SpeedTable speed_table(const Calibrated& costs) {
  std::vector<model::SpeedPoint> points{
      speed_point(costs.threads, costs.own_cells, costs.compute_s)};
  const double interior = costs.interior_cells;
  if (costs.threads > 1 && interior > 0) {
    points.push_back(speed_point(costs.threads - 1, interior, costs.interior_less_one_s));
  }
  if (costs.threads > 2 && costs.boundary_cells > 0 && costs.costs.boundary_s > 0) {
    const double s = costs.costs.boundary_s;
    points.push_back(speed_point(1, costs.boundary_cells, {s, s, s}));
  }
  return model::SpeedTable::with_intervals(points);
}

/// The work of a step whose boundary is updated separately from the interior.
model::StepWork work_of(const Calibrated& costs, const model::SpeedTable& speed) {
  model::StepWork work;
  work.communicate_s = costs.communicate_s.median;
  work.communicate_low_s = costs.communicate_s.low;
  work.communicate_high_s = costs.communicate_s.high;
  work.communication_cpu_s = costs.costs.communication_cpu_s;
  // Boundary cells are scattered in memory (those across x are one per cache line). They count as
  // the number of cells that one thread could update in their time.
  work.boundary_cells = std::max(costs.boundary_cells, costs.costs.boundary_s * speed.at(1));
  work.cells = costs.interior_cells + work.boundary_cells;
  return work;
}

}  // namespace

std::vector<ScheduleCost> schedules_here(const Schedule& asked, const Runner& runner) {
  const int threads = runner.agreed().threads;
  std::vector<ScheduleCost> result;
  // Partitioned communication hangs or crashes with current libraries, so it runs only on request.
  for (const ScheduleKind kind : schedule_kinds()) {
    if (kind == ScheduleKind::automatic) continue;
    Schedule schedule = asked;
    schedule.kind = kind;
    std::vector<Communicator> communicators{Communicator::automatic};
    if (kind == ScheduleKind::comm_thread) {
      communicators = {Communicator::extra_thread};
      if (threads > 1) communicators.insert(communicators.begin(), Communicator::team_thread);
    }
    for (const Communicator communicator : communicators) {
      schedule.communicator = communicator;
      ScheduleCost cost;
      cost.schedule = schedule;
      const ThreadLevel needed = needed_thread_level(schedule, threads);
      if (!runner.admits(schedule, threads)) {
        cost.refused = "needs " + to_string(needed);
      } else if ((kind == ScheduleKind::tasks || kind == ScheduleKind::grains) && threads == 1) {
        cost.refused = "same as polled with one thread";
      } else if (kind == ScheduleKind::partitioned && asked.kind != kind) {
        cost.refused = "runs only on request";
      } else if (kind != ScheduleKind::blocking && !runner.agreed().has_interior) {
        cost.refused = "every cell needs a ghost";
      }
      result.push_back(cost);
    }
  }
  return result;
}

model::Predicted predict(const Schedule& schedule, const Calibrated& costs, const NodeCores& node) {
  const model::SpeedTable speed = speed_table(costs);
  model::StepWork work = work_of(costs, speed);
  const int threads = costs.threads;
  switch (schedule.kind) {
    case ScheduleKind::blocking:
    case ScheduleKind::automatic:
      work.cells = costs.own_cells;
      return model::blocking_time(work, speed, threads);
    case ScheduleKind::comm_thread: {
      const bool beside = communicates_beside_team(schedule, threads);
      // A core that nobody else uses costs the team nothing.
      if (beside && node.team_and_one_fit) work.communication_cpu_s = 0;
      return model::comm_thread_time(work, speed, threads, beside);
    }
    case ScheduleKind::tasks:
    case ScheduleKind::grains:
      if (threads > 1) return model::tasks_time(work, speed, threads);
      break;
    case ScheduleKind::nonblocking:
    case ScheduleKind::partitioned:
      return model::nonblocking_time(work, speed, threads, costs.costs.progress);
    case ScheduleKind::polled:
      break;
  }
  // Polling moves anything between what would progress without it and all of it: only a trial
  // shows.
  const double progress = costs.costs.progress;
  const model::Predicted least = model::nonblocking_time(work, speed, threads, progress);
  const model::Predicted most = model::nonblocking_time(work, speed, threads, 1);
  return {(least.s + most.s) / 2, most.low_s, least.high_s};
}

}  // namespace plait::solve
