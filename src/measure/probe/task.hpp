// SPDX-License-Identifier: BSD-3-Clause
// The work of the ranks of a step, one cell (a size and a variant) at a time.
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
  int variant = 0;  ///< one of the variants of the kind (variants.hpp)
};

/// The environment of a task. `send` and `receive` have at least kLargestMessage bytes.
struct TaskContext {
  const MpiLibrary& mpi;
  const ProbePlan& plan;
  const ProbeStep& step;
  MPI_Comm comm;  ///< the members of the step
  int place;      ///< rank in it; 0 leads
  int members;
  const Pages& send;
  const Pages& receive;
  const std::vector<int>& allowed;  ///< hardware threads that the launcher left to this rank
};

/// The work of a step. All members make the same calls in the same order.
class Task {
public:
  virtual ~Task() = default;
  /// The cells of the step, the same on all members.
  [[nodiscard]] virtual std::vector<Cell> cells() const = 0;
  /// Runs a cell `repetitions` times. Collective over the members of the step.
  /// @return on the leader: microseconds per repetition, or GB/s summed over several pairs
  virtual double carry_out(const Cell& cell, int repetitions) = 0;
  /// Other results of the leader, each with its own variant.
  [[nodiscard]] virtual std::vector<std::pair<Cell, double>> facts() const { return {}; }
};

/// Between two ranks, or several pairs at once.
std::unique_ptr<Task> make_pair_task(const TaskContext& context);
/// Overheads and gaps (o and g of LogGP), and whether messages are eager.
std::unique_ptr<Task> make_cost_task(const TaskContext& context);
/// A message during work.
std::unique_ptr<Task> make_overlap_task(const TaskContext& context);
/// A message inside a node and one between nodes at the same time.
std::unique_ptr<Task> make_mixed_task(const TaskContext& context);
/// A collective operation.
std::unique_ptr<Task> make_collective_task(const TaskContext& context);

/// The task for the kind of the step.
std::unique_ptr<Task> make_task(const TaskContext& context);

}  // namespace plait::measure
