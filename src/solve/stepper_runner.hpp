// SPDX-License-Identifier: BSD-3-Clause
// Runs steps of one halo under any schedule that can run here.
#pragma once

#include <memory>
#include <string>

#include "plait/environment.hpp"
#include "solve/comm_thread.hpp"
#include "solve/partitioned.hpp"
#include "solve/stepper_agreement.hpp"
#include "solve/stepper_job.hpp"

namespace plait::solve {

/// A schedule with what it has learned of waiting here.
struct Prepared {
  Schedule schedule;
  Waiter waiter;
};

/// What the ranks have agreed on: numbers by which all of them decide alike.
struct Agreed {
  int threads = 1;            ///< OpenMP threads of the rank that has most
  bool has_interior = false;  ///< some rank has cells that need no ghost
  bool verifies = false;      ///< some rank's environment asks for verify mode
  NodeCores node;
};

class Runner {
public:
  /// Collective over the halo's communicator.
  /// @throws CollectiveError when a rank has another schedule or cannot run it, or the schedule is
  ///         partitioned and that does not work here.
  Runner(Halo& halo, const Schedule& schedule);

  /// Whether MPI's thread level suffices for the schedule with that many threads. Local.
  [[nodiscard]] bool admits(const Schedule& schedule, int threads) const {
    return granted_ >= needed_thread_level(schedule, threads);
  }

  /// Makes a schedule ready to run. Local.
  [[nodiscard]] Prepared prepare(const Schedule& schedule) const;

  /// One step with omp_get_max_threads() threads. Collective.
  /// @throws Error when there are now more threads than MPI's thread level admits.
  void run(Prepared& prepared, Order order, std::span<const FieldView> fields,
           const Stepper::Update& update, StepTimes* times = nullptr);
  /// The measuring step of run_with_one_less().
  void run_with_one_less(Prepared& prepared, Order order, std::span<const FieldView> fields,
                         const Stepper::Update& update, StepTimes& times);

  [[nodiscard]] Halo& halo() const { return halo_; }
  [[nodiscard]] const Cells& cells() const { return cells_; }
  [[nodiscard]] const Agreed& agreed() const { return agreed_; }
  [[nodiscard]] const NodeCores& node() const { return agreed_.node; }

private:
  StepJob job(Prepared& prepared, Order order, std::span<const FieldView> fields,
              const Stepper::Update& update, StepTimes* times);
  HelperThread& helper();

  Halo& halo_;
  Cells cells_;
  ThreadLevel granted_;  ///< on every rank
  machine::CpuSet cpus_;
  Agreed agreed_;
  int threads_checked_ = 0;  ///< number of threads that the schedule below was last checked for
  Schedule schedule_checked_;
  std::unique_ptr<HelperThread> helper_;              ///< made when first needed
  std::unique_ptr<PartitionedExchange> partitioned_;  ///< when the schedule is partitioned
};

}  // namespace plait::solve
