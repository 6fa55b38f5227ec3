// SPDX-License-Identifier: BSD-3-Clause
// Predicts the speed of the 3D Jacobi solver on a number of nodes in each parallel model (Stengel
// 2010, equations 2.1 to 2.5).
#include "model/jacobi_prediction.hpp"

#include <algorithm>

#include "plait/error.hpp"
#include "text/counted.hpp"

namespace plait::model {
namespace {

double product(const Extents& cells) {
  return static_cast<double>(cells[0]) * cells[1] * cells[2];
}

int number_of(const Extents& parts) {
  return parts[0] * parts[1] * parts[2];
}

/// The cost of a step on the busiest node. In Stengel's model all cells can overlap (boundary 0).
StepWork work_of(const JacobiCase& of, const Predicted& exchange) {
  StepWork work;
  work.cells = product(of.cells);
  work.communicate_s = exchange.s;
  work.communicate_low_s = exchange.low_s;
  work.communicate_high_s = exchange.high_s;
  return work;
}

/// Cores that compute during the sweep.
int computing_cores(JacobiMode mode, int cores) {
  if (mode == JacobiMode::mpi_one) return 1;
  return mode == JacobiMode::task_manual ? cores - 1 : cores;
}

Predicted step_time(JacobiMode mode, const StepWork& work, const JacobiInputs& inputs) {
  switch (mode) {
    case JacobiMode::mpi_one:
      return blocking_time(work, inputs.speed, 1);
    case JacobiMode::mpi_all:
    case JacobiMode::vector:
      return blocking_time(work, inputs.speed, inputs.cores);
    case JacobiMode::task_manual:
      return comm_thread_time(work, inputs.speed, inputs.cores, false);
    case JacobiMode::task_openmp_upper:
      return ideal_overlap_time(work, inputs.speed, inputs.cores);
    case JacobiMode::task_openmp_conserving:
      break;
  }
  return tasks_time(work, inputs.speed, inputs.cores);
}

}  // namespace

std::vector<JacobiMode> jacobi_modes(int cores) {
  if (cores <= 1) return {JacobiMode::mpi_one};
  return {
      JacobiMode::mpi_one,     JacobiMode::mpi_all,           JacobiMode::vector,
      JacobiMode::task_manual, JacobiMode::task_openmp_upper, JacobiMode::task_openmp_conserving};
}

std::string name_of(JacobiMode mode, int cores) {
  switch (mode) {
    case JacobiMode::mpi_one:
      return "mpi_1ppn";
    case JacobiMode::mpi_all:
      return "mpi_" + std::to_string(cores) + "ppn";
    case JacobiMode::vector:
      return "vector";
    case JacobiMode::task_manual:
      return "task_manual";
    case JacobiMode::task_openmp_upper:
      return "task_openmp_upper";
    case JacobiMode::task_openmp_conserving:
      break;
  }
  return "task_openmp_conserving";
}

JacobiMode mode_named(const std::string& name, int cores) {
  std::string names;
  for (const JacobiMode mode : jacobi_modes(cores)) {
    const std::string known = name_of(mode, cores);
    if (name == known || (name == "mpi_all" && mode == JacobiMode::mpi_all)) return mode;
    names += (names.empty() ? "" : ", ") + known;
  }
  throw Error(name, "not a mode of the Jacobi solver on " + counted(cores, "core") + " per node",
              "choose one of all, " + names);
}

JacobiCase weak_case(int nodes, const Extents& cells) {
  return weak_case(parts_for_nodes(nodes, {nodes, nodes, nodes}), cells);
}

JacobiCase weak_case(const Extents& parts, const Extents& cells) {
  return {number_of(parts), parts, cells, product(cells) * product(parts)};
}

JacobiCase strong_case(int nodes, const Extents& grid) {
  return strong_case(parts_for_nodes(nodes, grid), grid);
}

JacobiCase strong_case(const Extents& parts, const Extents& grid) {
  check_cut(number_of(parts), "nodes", grid, parts);
  JacobiCase of{number_of(parts), parts, {}, product(grid)};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    of.cells[axis] = (grid[axis] + parts[axis] - 1) / parts[axis];
  }
  return of;
}

Predicted exchange_time(const NodeExchange& exchange, const JacobiInputs& inputs) {
  Predicted time;
  if (exchange.messages > 0) {
    if (!inputs.network) {
      throw Error("network", "the cost of messages between nodes is unknown",
                  "give --latency and --bandwidth");
    }
    const Link& link = *inputs.network;
    const double bytes = static_cast<double>(exchange.face_cells) * inputs.bytes_per_cell;
    time.s =
        bytes / link.several_bytes_per_s.value + exchange.communications * link.latency_s.value;
    time.low_s = bytes / std::max(link.several_bytes_per_s.high, link.pair_bytes_per_s.high) +
                 link.latency_s.low;
    time.high_s = bytes / std::min(link.several_bytes_per_s.low, link.pair_bytes_per_s.low) +
                  exchange.messages * link.latency_s.high;
  }
  if (inputs.inside) {
    const double bytes = static_cast<double>(exchange.inner_cells) * inputs.bytes_per_cell;
    time.high_s += bytes / inputs.inside->pair_bytes_per_s.low +
                   exchange.inner_messages * inputs.inside->latency_s.high;
  }
  return time;
}

JacobiPrediction predict_jacobi(const JacobiInputs& inputs, const JacobiCase& of,
                                std::span<const JacobiMode> modes) {
  JacobiPrediction prediction;
  prediction.of = of;
  prediction.network = inputs.network;
  prediction.inside = inputs.inside;
  prediction.one_rank = node_exchange(of.parts, of.cells, {1, 1, 1});
  if (std::find(modes.begin(), modes.end(), JacobiMode::mpi_all) != modes.end()) {
    prediction.all_ranks =
        node_exchange(of.parts, of.cells, parts_for_ranks(inputs.cores, of.cells));
  }
  for (const JacobiMode mode : modes) {
    const bool many_ranks = mode == JacobiMode::mpi_all;
    ModePrediction one;
    one.mode = mode;
    one.sweep_s = product(of.cells) / inputs.speed.at(computing_cores(mode, inputs.cores));
    one.exchange_s =
        exchange_time(many_ranks ? *prediction.all_ranks : prediction.one_rank, inputs);
    one.step_s = step_time(mode, work_of(of, one.exchange_s), inputs);
    one.mlups = {of.total_cells / one.step_s.s / 1e6, of.total_cells / one.step_s.high_s / 1e6,
                 of.total_cells / one.step_s.low_s / 1e6};
    prediction.modes.push_back(one);
  }
  return prediction;
}

}  // namespace plait::model
