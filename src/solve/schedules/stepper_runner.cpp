// SPDX-License-Identifier: BSD-3-Clause
// Runs steps of one halo under any schedule that works here.
#include "solve/schedules/stepper_runner.hpp"

#include <omp.h>

#include <algorithm>

#include "solve/schedules/stepper_team.hpp"
#include "solve/schedules/tasks.hpp"
#include "solve/verify.hpp"

namespace plait::solve {

Runner::Runner(Halo& halo, const Schedule& schedule)
    : halo_(halo), cells_(halo), granted_(granted_thread_level()) {
  const RankFacts own{schedule, granted_, cores_of_process(omp_get_max_threads()),
                      !cells_.interior.empty(), verify_mode_in_environment()};
  const std::vector<RankFacts> facts = gather_facts(halo.grid().comm(), own);
  check_agreement(facts);
  std::vector<RankCores> ranks;
  for (const RankFacts& fact : facts) {
    ranks.push_back(fact.cores);
    granted_ = std::min(granted_, fact.granted);
    agreed_.threads = std::max(agreed_.threads, fact.cores.threads);
    agreed_.has_interior = agreed_.has_interior || fact.has_interior;
    agreed_.verifies = agreed_.verifies || fact.verifies;
  }
  cpus_ = own.cores.cpus;
  agreed_.node = node_cores(ranks, halo.grid().node_of_rank());
  if (schedule.kind == ScheduleKind::partitioned) {
    require_partitioned(halo.grid().comm());
    partitioned_ = std::make_unique<PartitionedExchange>(halo);
  }
}

Prepared Runner::prepare(const Schedule& schedule) {
  const bool beside = communicates_beside_team(schedule, omp_get_max_threads());
  // The first look at the machine takes milliseconds: do it before the first step.
  if (schedule.kind == ScheduleKind::tasks) pages();
  return {schedule, Waiter(schedule.wait, schedule.poll,
                           beside ? node().team_and_one_fit : node().team_fits)};
}

StepJob Runner::job(Prepared& prepared, Order order, std::span<const FieldView> fields,
                    const Stepper::Update& update, StepTimes* times) {
  const int threads = omp_get_max_threads();
  if (threads != threads_checked_ || prepared.schedule != schedule_checked_) {
    // A team that has shrunk to one thread may run without an extra thread.
    const bool works_alone =
        threads == 1 && prepared.schedule.communicator != Communicator::extra_thread;
    if (!admits(prepared.schedule, threads) && !works_alone) {
      throw missing_thread_level(prepared.schedule, threads, granted_);
    }
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
      if (communicates_beside_team(prepared.schedule, step.threads) &&
          admits(prepared.schedule, step.threads)) {
        run_comm_thread_beside_team(step, helper());
      } else {
        run_comm_thread_of_team(step);
      }
      break;
    case ScheduleKind::tasks:
      run_tasks(step, pages());
      break;
    case ScheduleKind::grains:
      grains_.run(step, prepared.schedule.wait);
      break;
    case ScheduleKind::partitioned:
      run_partitioned(step, *partitioned_);
      break;
    case ScheduleKind::blocking:
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
  if (!helper_) helper_ = std::make_unique<HelperThread>(cpus_);
  return *helper_;
}

PageDomains& Runner::pages() {
  if (!pages_) pages_ = std::make_unique<PageDomains>(NumaDomains::of_cpus(cpus_));
  return *pages_;
}

}  // namespace plait::solve
