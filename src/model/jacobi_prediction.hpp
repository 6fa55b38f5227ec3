// SPDX-License-Identifier: BSD-3-Clause
// Predicts the speed of the 3D Jacobi solver on a number of nodes in each parallel model (Stengel
// 2010, equations 2.1 to 2.5).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/jacobi_decomposition.hpp"
#include "model/overlap.hpp"
#include "model/speed_table.hpp"

namespace plait::model {

/// The parallel models of Stengel 2010, chapter 2 (figure 2.5).
enum class JacobiMode {
  mpi_one,                ///< one rank per node, on one core (section 2.1)
  mpi_all,                ///< one rank per core (section 2.1)
  vector,                 ///< one rank per node, threads on all cores, communication outside
  task_manual,            ///< one thread communicates, the others compute (equation 2.5)
  task_openmp_upper,      ///< OpenMP tasks, all cores compute: the upper bound of the thesis
  task_openmp_conserving  ///< OpenMP tasks: the communicating thread computes afterwards
};

/// All modes for `cores` cores per node; for one core only mpi_one.
std::vector<JacobiMode> jacobi_modes(int cores);

/// "mpi_1ppn", "mpi_2ppn" (with the number of cores), "vector", "task_manual",
/// "task_openmp_upper", "task_openmp_conserving".
std::string name_of(JacobiMode mode, int cores);

/// The mode with that name; "mpi_all" is also accepted.
/// @throws Error that lists the names.
JacobiMode mode_named(const std::string& name, int cores);

/// A measured value with its confidence interval; low <= value <= high.
struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// The cost of messages between two ranks.
struct Link {
  Interval latency_s;
  Interval pair_bytes_per_s;     ///< of one pair of ranks, in one direction
  Interval several_bytes_per_s;  ///< of several pairs at once, together, in one direction
};

/// The inputs of the model.
struct JacobiInputs {
  SpeedTable speed;             ///< P(k) of a node
  int cores = 1;                ///< used per node
  std::optional<Link> network;  ///< between nodes; required for two nodes or more
  std::optional<Link> inside;   ///< between ranks of a node, if known
  int bytes_per_cell = 8;
};

/// A grid on a number of nodes.
struct JacobiCase {
  int nodes = 1;
  Extents parts{1, 1, 1};  ///< nodes along each axis
  Extents cells{1, 1, 1};  ///< of one node; the largest number if they differ
  double total_cells = 1;
};

/// Weak scaling: every node has `cells` cells. The nodes are arranged by parts_for_nodes().
/// @throws Error as parts_for_nodes.
JacobiCase weak_case(int nodes, const Extents& cells);
/// The same with a given arrangement of the nodes.
JacobiCase weak_case(const Extents& parts, const Extents& cells);
/// Strong scaling: the nodes share the cells of `grid`.
/// @throws Error as parts_for_nodes.
JacobiCase strong_case(int nodes, const Extents& grid);
/// The same with a given arrangement of the nodes.
/// @throws Error when an axis has fewer cells than nodes.
JacobiCase strong_case(const Extents& parts, const Extents& grid);

/// The prediction for one mode.
struct ModePrediction {
  JacobiMode mode = JacobiMode::mpi_one;
  double sweep_s = 0;    ///< the sweep of the computing cores alone (equation 2.2)
  Predicted exchange_s;  ///< the halo exchange alone (the sum in equation 2.4's denominator)
  Predicted step_s;
  Interval mlups;  ///< million updates per second, of all nodes
};

/// The predictions for one case in several modes, and the message costs that were used.
struct JacobiPrediction {
  JacobiCase of;
  std::optional<Link> network;
  std::optional<Link> inside;
  NodeExchange one_rank;                  ///< table 2.1, 1ppn
  std::optional<NodeExchange> all_ranks;  ///< table 2.1, 2ppn on two cores; with mpi_all only
  std::vector<ModePrediction> modes;
};

/// Time of the halo exchange (equation 2.4): the bytes of the node with the most neighbours over
/// the bandwidth of several pairs, plus a latency for each communication. The interval includes
/// that of the inputs and two questions that the thesis leaves open (section 2.1.2). Low end: all
/// latencies overlap ("latencies do overlap to a certain degree"). High end: no latencies overlap
/// ("latencies do not overlap for small messages"), so each message has its own; the bandwidth is
/// that of a single pair; and messages within the node, if their path was measured, do not overlap
/// with those between nodes (section 3.3).
/// @throws Error when there are messages to other nodes but inputs.network is empty.
Predicted exchange_time(const NodeExchange& exchange, const JacobiInputs& inputs);

/// Predicts the given modes for one case.
/// @throws Error as exchange_time and parts_for_ranks.
JacobiPrediction predict_jacobi(const JacobiInputs& inputs, const JacobiCase& of,
                                std::span<const JacobiMode> modes);

}  // namespace plait::model
