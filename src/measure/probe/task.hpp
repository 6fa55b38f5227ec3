// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a step do together, one cell (a size and a variant) at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "measure/pages.hpp"
#include "measure/probe_plan.hpp"
#include "mpi_library.hpp"

namespace plait::measure {

/// One figure of a step.
struct Cell {
  std::uint64_t bytes = 0;
  int variant = 0;  ///< what else is measured at this size; see the kind's variants in variants.hpp
};

/// What a task works with. `send` and `receive` hold kLargestMessage bytes at least.
struct TaskContext {
  const MpiLibrary& mpi;
  const ProbePlan& plan;
  const ProbeStep& step;
  MPI_Comm comm;  ///< the step's members
  int place;      ///< rank in it; 0 leads
  int members;
  const Pages& send;
  const Pages& receive;
  const std::vector<int>& allowed;  ///< hardware threads that the launcher left to this rank
};

/// One step's work. All members make the same calls in the same order.
class Task {
public:
  virtual ~Task() = default;
  [[nodiscard]] virtual std::vector<Cell> cells() const = 0;
  /// Carries a cell out `repetitions` times. Collective over the step's members.
  /// @return on the leader: microseconds of one, or GB/s summed over several pairs
  virtual double carry_out(const Cell& cell, int repetitions) = 0;
  /// What the leader learned beside the figures, each with a variant of its own.
  [[nodiscard]] virtual std::vector<std::pair<Cell, double>> facts() const { return {}; }
};

/// Between two ranks, or several pairs at once.
std::unique_ptr<Task> make_pair_task(const TaskContext& context);
/// Overheads, messages in a row (LogGP's o and g), and whether messages are eager.
std::unique_ptr<Task> make_cost_task(const TaskContext& context);
std::unique_ptr<Task> make_overlap_task(const TaskContext& context);
std::unique_ptr<Task> make_mixed_task(const TaskContext& context);
std::unique_ptr<Task> make_collective_task(const TaskContext& context);

/// The task of the context's step.
std::unique_ptr<Task> make_task(const TaskContext& context);

}  // namespace plait::measure
