// SPDX-License-Identifier: BSD-3-Clause
// How fast the 3D Jacobi solver runs on some nodes in each parallel model: Stengel's equations 2.1
// to 2.5.
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
  mpi_one,                ///< one rank a node on one core (section 2.1)
  mpi_all,                ///< a rank on each core (section 2.1)
  vector,                 ///< one rank a node, threads on all cores, communication outside
  task_manual,            ///< one thread communicates, the others compute (equation 2.5)
  task_openmp_upper,      ///< OpenMP tasks, all cores compute: an upper bound, as the thesis has it
  task_openmp_conserving  ///< OpenMP tasks: the communicating thread computes when it is done
};

/// All modes that `cores` cores a node allow: on one core there is only mpi_one.
std::vector<JacobiMode> jacobi_modes(int cores);

/// "mpi_1ppn", "mpi_2ppn" (with the number of cores), "vector", "task_manual",
/// "task_openmp_upper", "task_openmp_conserving".
std::string name_of(JacobiMode mode, int cores);

/// The mode with that name; "mpi_all" too. @throws Error that lists the names.
JacobiMode mode_named(const std::string& name, int cores);

/// A measured value with its confidence interval; low <= value <= high.
struct Interval {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// What a message costs on the way between two ranks.
struct Link {
  Interval latency_s;
  Interval pair_bytes_per_s;     ///< of one pair of ranks, in one direction
  Interval several_bytes_per_s;  ///< of several pairs at once, together, in one direction
};

/// The measured inputs.
struct JacobiInputs {
  SpeedTable speed;             ///< P(k) of a node
  int cores = 1;                ///< of a node that are used
  std::optional<Link> network;  ///< between nodes; needed for two nodes or more
  std::optional<Link> inside;   ///< between ranks of a node, where known
  int bytes_per_cell = 8;
};

/// A grid on some nodes.
struct JacobiCase {
  int nodes = 1;
  Extents parts{1, 1, 1};  ///< nodes along each axis
  Extents cells{1, 1, 1};  ///< of one node, the largest where they differ
  double total_cells = 1;
};

/// Every node has `cells` cells (weak scaling), on parts_for_nodes() of as many nodes along each
/// axis as possible alike. @throws Error as parts_for_nodes.
JacobiCase weak_case(int nodes, const Extents& cells);
/// The same on nodes that are arranged by hand.
JacobiCase weak_case(const Extents& parts, const Extents& cells);
/// `grid` cells are shared by the nodes (strong scaling). @throws Error as parts_for_nodes.
JacobiCase strong_case(int nodes, const Extents& grid);
/// The same on nodes that are arranged by hand. @throws Error when an axis has fewer cells.
JacobiCase strong_case(const Extents& parts, const Extents& grid);

/// One mode's prediction.
struct ModePrediction {
  JacobiMode mode = JacobiMode::mpi_one;
  double sweep_s = 0;    ///< the computing cores' sweep alone (equation 2.2)
  Predicted exchange_s;  ///< the halo exchange alone (the sum in equation 2.4's denominator)
  Predicted step_s;
  Interval mlups;  ///< million updates a second, of all nodes
};

/// All modes' predictions for one case, and what messages were taken to cost.
struct JacobiPrediction {
  JacobiCase of;
  std::optional<Link> network;
  std::optional<Link> inside;
  NodeExchange one_rank;                  ///< table 2.1, 1ppn
  std::optional<NodeExchange> all_ranks;  ///< table 2.1, 2ppn on two cores; with mpi_all only
  std::vector<ModePrediction> modes;
};

/// Time of the halo exchange (equation 2.4): bytes of the node with the most neighbours over the
/// bandwidth of several pairs, and a latency for each communication.
/// Interval: that of the inputs, and the two things that the thesis leaves open (section 2.1.2).
/// Low end: all latencies overlap ("latencies do overlap to a certain degree"). High end: none do
/// ("latencies do not overlap for small messages"), so each message has its own, a single pair's
/// bandwidth holds, and messages within the node, where there are some and their path was measured,
/// do not overlap with those between nodes (section 3.3).
/// @throws Error when there are messages to other nodes but no network.
Predicted exchange_time(const NodeExchange& exchange, const JacobiInputs& inputs);

/// @throws Error as exchange_time and parts_for_ranks.
JacobiPrediction predict_jacobi(const JacobiInputs& inputs, const JacobiCase& of,
                                std::span<const JacobiMode> modes);

}  // namespace plait::model
