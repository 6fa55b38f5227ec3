// SPDX-License-Identifier: BSD-3-Clause
// Runs steps of one halo under any schedule that can run here.
#include "solve/stepper_runner.hpp"

#include <omp.h>

#include "solve/stepper_team.hpp"
#include "solve/tasks.hpp"

namespace plait::solve {

bool communicates_beside_team(const Schedule& schedule, int threads) {
  return schedule.kind == ScheduleKind::comm_thread &&
         (schedule.communicator == Communicator::extra_thread || threads == 1);
}

ThreadLevel needed_thread_level(const Schedule& schedule, int threads) {
  if (communicates_beside_team(schedule, threads)) return ThreadLevel::serialized;
  return threads > 1 ? ThreadLevel::funneled : ThreadLevel::single;
}

Runner::Runner(Halo& halo)
    : halo_(halo),
      cells_(halo),
      node_(node_cores(halo.grid().comm(), omp_get_max_threads())),
      granted_(granted_thread_level()) {}

std::unique_ptr<Error> Runner::refusal(const Schedule& schedule, int threads) const {
  const ThreadLevel needed = needed_thread_level(schedule, threads);
  if (granted_ >= needed) return nullptr;
  const std::string team =
      threads == 1 ? "a team of one thread" : "teams of " + std::to_string(threads) + " threads";
  return std::make_unique<Error>(
      "schedule " + to_string(schedule),
      "needs " + to_string(needed) + " with " + team + ", and MPI was started with " +
          to_string(granted_),
      "start MPI through plait::Environment or by MPI_Init_thread with " + to_string(needed) +
          (needed == ThreadLevel::serialized ? ", or use another schedule"
                                             : ", or set OMP_NUM_THREADS=1"));
}

Prepared Runner::prepare(const Schedule& schedule) const {
  const bool beside = communicates_beside_team(schedule, omp_get_max_threads());
  return {schedule,
          Waiter(schedule.wait, schedule.poll, beside ? node_.team_and_one_fit : node_.team_fits)};
}

StepJob Runner::job(Prepared& prepared, Order order, std::span<const FieldView> fields,
                    const Stepper::Update& update, StepTimes* times) {
  const int threads = omp_get_max_threads();
  if (threads != threads_checked_ || prepared.schedule != schedule_checked_) {
    if (const auto error = refusal(prepared.schedule, threads)) throw Error(*error);
    threads_checked_ = threads;
    schedule_checked_ = prepared.schedule;
  }
  return {halo_,           fields, update, order, threads, cells_, prepared.schedule.block,
          prepared.waiter, times};
}

void Runner::run(Prepared& prepared, Order order, std::span<const FieldView> fields,
                 const Stepper::Update& update, StepTimes* times) {
  const StepJob step = job(prepared, order, fields, update, times);
  switch (prepared.schedule.kind) {
    case ScheduleKind::nonblocking:
      run_nonblocking(step);
      break;
    case ScheduleKind::polled:
      run_polled(step);
      break;
    case ScheduleKind::comm_thread:
      if (communicates_beside_team(prepared.schedule, step.threads)) {
        run_comm_thread_beside_team(step, helper());
      } else {
        run_comm_thread_of_team(step);
      }
      break;
    case ScheduleKind::tasks:
      run_tasks(step);
      break;
    case ScheduleKind::blocking:
    case ScheduleKind::partitioned:
    case ScheduleKind::automatic:
      run_blocking(step);
      break;
  }
}

void Runner::run_with_one_less(Prepared& prepared, Order order, std::span<const FieldView> fields,
                               const Stepper::Update& update, StepTimes& times) {
  solve::run_with_one_less(job(prepared, order, fields, update, &times));
}

HelperThread& Runner::helper() {
  if (!helper_) helper_ = std::make_unique<HelperThread>(node_.cpus);
  return *helper_;
}

}  // namespace plait::solve
