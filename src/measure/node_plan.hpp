// SPDX-License-Identifier: BSD-3-Clause
// Which steps the probe goes through on several nodes.
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

/// What the measurement on nodes shall do.
struct NodePlanRequest {
  double seconds = 60;  ///< for all steps together
  RoundsPlan rounds;    ///< width and rounds; its seconds are not used
  std::vector<std::string> libraries;
  std::uint64_t off_cache_bytes = 0;  ///< that streaming work goes through
  int per_node = 0;                   ///< ranks on each node; 0: a rank on each core
  std::string node_path;              ///< Path::id between the first two cores of a node
};

/// What a step belongs to.
struct NodeStep {
  std::string path;       ///< Path::id of point-to-point steps
  int pairs = 1;          ///< at once
  int nodes = 1;          ///< of collectives
  int per_node = 1;       ///< ranks of a collective on each of these
  int per_socket = 1;     ///< on the fullest
  std::string placement;  ///< "packed" or "spread"
};

/// A plan and what its steps are.
struct NodePlan {
  ProbePlan probe;
  std::vector<NodeStep> steps;                 ///< one for each step
  int per_node = 1;                            ///< ranks on each node
  std::vector<std::array<int, 2>> node_pairs;  ///< between which single messages are measured
  std::vector<std::string> notes;              ///< what cannot be measured here, and why
};

/// Plans everything: between nodes ping-pong, ping-ping, overheads and several pairs; overlap on
/// each path; messages in the node beside such between nodes; collectives by ranks; all-to-all by
/// ranks a node and a socket.
/// @param nodes  one at least, each with a core at least
NodePlan plan_nodes(const std::vector<NodePlace>& nodes, const NodePlanRequest& request);

/// Plans the overlap probe alone, with one kind of work: for a setting of the MPI.
/// @param poll  a thread of the probe itself tests the messages
NodePlan plan_setting(const std::vector<NodePlace>& nodes, const NodePlanRequest& request,
                      bool poll);

/// Plans a look at the nodes: one rank on each says where it is.
ProbePlan plan_look(std::size_t nodes, const std::vector<std::string>& libraries, double limit_s);

}  // namespace plait::measure
