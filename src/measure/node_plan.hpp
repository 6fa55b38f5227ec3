// SPDX-License-Identifier: BSD-3-Clause
// Plans the steps of the probe on several nodes.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "measure/nodes.hpp"
#include "measure/probe_plan.hpp"
#include "measure/rounds.hpp"

namespace plait::measure {

/// Path::id between nodes.
inline constexpr const char* kNetworkPath = "network";

/// The options of the plan.
struct NodePlanRequest {
  double seconds = 60;  ///< for all steps
  RoundsPlan rounds;    ///< width and rounds; `seconds` is not used
  std::vector<std::string> libraries;
  std::uint64_t off_cache_bytes = 0;  ///< size of the buffer of streaming work
  int per_node = 0;                   ///< ranks per node; 0: one per core
  std::string node_path;              ///< Path::id between the first two cores of a node
};

/// The part of the measurement to which a step belongs.
struct NodeStep {
  std::string path;             ///< Path::id of point-to-point steps
  int pairs = 1;                ///< pairs at once
  int nodes = 1;                ///< nodes of a collective
  int per_node = 1;             ///< ranks of a collective on each node
  int per_socket = 1;           ///< on the fullest socket
  std::string placement;        ///< "packed" or "spread"
  std::string rank0;            ///< mixed: machine::MixedPoint::rank0
  bool across_sockets = false;  ///< mixed: the message inside the node goes to another socket
};

/// A plan and the origins of its steps.
struct NodePlan {
  ProbePlan probe;
  std::vector<NodeStep> steps;                 ///< one for each step
  int per_node = 1;                            ///< ranks per node
  std::vector<std::array<int, 2>> node_pairs;  ///< pairs of nodes with single messages
  std::vector<std::string> notes;              ///< what cannot be measured, and why
};

/// Plans all measurements: ping-pong, ping-ping, overheads and several pairs between nodes; overlap
/// on each path; messages inside a node at the same time as messages between nodes; collectives by
/// number of ranks; all-to-all by ranks per node and socket.
/// @param nodes  at least one, each with at least one core
NodePlan plan_nodes(const std::vector<NodePlace>& nodes, const NodePlanRequest& request);

/// The figure of Stengel's thesis that a plan reproduces.
enum class PlanFigure {
  overlap,  ///< 3.5, listing 3.1: a message of 80 MB during work that grows
  mixed     ///< 3.6, listing 3.2: 80 MB inside a node and more and more between nodes
};

/// Plans only the probe of a figure, with the sizes of the thesis. At the time limit, ranks leave
/// out the points that remain.
NodePlan plan_figure(const std::vector<NodePlace>& nodes, const NodePlanRequest& request,
                     PlanFigure figure);

/// Plans only the overlap probe, with one kind of work, for a setting of the MPI.
/// @param poll  a thread of the probe tests the messages
NodePlan plan_setting(const std::vector<NodePlace>& nodes, const NodePlanRequest& request,
                      bool poll);

/// Plans a run with one rank per node that reports the node and its allowed cores.
/// @param limit_s  seconds after which a rank exits
ProbePlan plan_look(std::size_t nodes, const std::vector<std::string>& libraries, double limit_s);

}  // namespace plait::measure
