// SPDX-License-Identifier: BSD-3-Clause
// Runs steps of one halo under any schedule that works here.
#pragma once

#include <memory>
#include <string>

#include "plait/environment.hpp"
#include "solve/schedules/comm_thread.hpp"
#include "solve/schedules/grains.hpp"
#include "solve/schedules/page_domains.hpp"
#include "solve/schedules/partitioned.hpp"
#include "solve/schedules/stepper_agreement.hpp"
#include "solve/schedules/stepper_job.hpp"

namespace plait::solve {

/// A schedule, and what was learned about waiting under it.
struct Prepared {
  Schedule schedule;
  Waiter waiter;
};

/// The values that the ranks have agreed on, so that all of them decide alike.
struct Agreed {
  int threads = 1;            ///< largest number of OpenMP threads of a rank
  bool has_interior = false;  ///< some rank has cells that need no ghost
  bool verifies = false;      ///< some rank has PLAIT_VERIFY=1 set
  NodeCores node;
};

/// Runs steps of one halo, one at a time.
class Runner {
public:
  /// Collective over the halo's communicator.
  /// @throws CollectiveError if a rank has another schedule or cannot run it, or if the schedule is
  ///         partitioned and that does not work here
  Runner(Halo& halo, const Schedule& schedule);

  /// True if MPI's thread level suffices for the schedule with this many threads. Local.
  [[nodiscard]] bool admits(const Schedule& schedule, int threads) const {
    return granted_ >= needed_thread_level(schedule, threads);
  }

  /// Prepares a schedule for running. Local.
  [[nodiscard]] Prepared prepare(const Schedule& schedule);

  /// Runs one step with omp_get_max_threads() threads. Collective.
  /// @throws Error if there are now more threads than MPI's thread level admits
  void run(Prepared& prepared, Order order, std::span<const FieldView> fields,
           const Stepper::Update& update, StepTimes* times = nullptr);
  /// Runs a step for measurement, see run_with_one_less() in stepper_team.hpp. Collective.
  void run_with_one_less(Prepared& prepared, Order order, std::span<const FieldView> fields,
                         const Stepper::Update& update, StepTimes& times);

  [[nodiscard]] Halo& halo() const { return halo_; }
  [[nodiscard]] const Cells& cells() const { return cells_; }
  [[nodiscard]] const Agreed& agreed() const { return agreed_; }
  [[nodiscard]] const NodeCores& node() const { return agreed_.node; }
  /// The NUMA domains of the team. The first call reads the machine.
  [[nodiscard]] const NumaDomains& numa_domains() { return pages().domains(); }

private:
  StepJob job(Prepared& prepared, Order order, std::span<const FieldView> fields,
              const Stepper::Update& update, StepTimes* times);
  HelperThread& helper();
  PageDomains& pages();

  Halo& halo_;
  Cells cells_;
  ThreadLevel granted_;   ///< the lowest of all ranks
  machine::CpuSet cpus_;  ///< of all threads of the team
  Agreed agreed_;
  int threads_checked_ = 0;  ///< number of threads for which the schedule below was last checked
  Schedule schedule_checked_;
  std::unique_ptr<HelperThread> helper_;  ///< created when first needed
  std::unique_ptr<PageDomains> pages_;    ///< created when first needed
  GrainSteps grains_;
  std::unique_ptr<PartitionedExchange> partitioned_;  ///< only if the schedule is partitioned
};

}  // namespace plait::solve
