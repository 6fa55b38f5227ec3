// SPDX-License-Identifier: BSD-3-Clause
// Assignments of processes to slots: the request for one, the costs of messages, the score.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mapping/graph.hpp"
#include "mapping/slots.hpp"

namespace plait::mapping {

/// The cost of a message between two slots.
struct PathCost {
  double seconds = 0;           ///< per message, whatever its size
  double seconds_per_byte = 0;  ///< alone on the path
};

/// The costs of an exchange: LogGP with a network card that the processes of a node share. T is the
/// maximum over the processes, for their messages inside the node one after the other, and over the
/// nodes, for what the card sends or receives, whichever takes longer; plus one latency.
struct Costs {
  /// By meeting_level(): [0] same node only ... [4] same core, [kLevels] different nodes.
  std::array<PathCost, kLevels + 1> path{};
  /// The card of a node, per direction; all processes of the node share it.
  PathCost card;
};

/// Costs of a cluster of ordinary nodes, for use when nothing was measured. Whoever prints them
/// must say so.
Costs default_costs();

/// The figures by which assignments are compared.
struct Score {
  double time_s = 0;           ///< one exchange, by Costs
  double cut = 0;              ///< bytes between nodes, mean of both directions, over all pairs
  double busiest_node = 0;     ///< the same, of the node with the most
  double distance = 0;         ///< J: sum over pairs of bytes x MappingRequest::distance
  std::int64_t cut_pairs = 0;  ///< neighbour pairs on different nodes
  std::int64_t pairs = 0;      ///< all neighbour pairs
};

/// The figure to minimize first; the others break ties.
enum class Goal {
  exchange_time,  ///< time_s, then cut, then busiest_node
  cut,            ///< cut, then busiest_node
  distance,       ///< J
};

struct MappingRequest {
  Graph graph;                    ///< at most slots.size() processes
  std::optional<Cartesian> grid;  ///< if the graph is a grid; enables the geometric methods
  Slots slots;
  Costs costs = default_costs();
  Goal goal = Goal::exchange_time;
  /// Distance by meeting_level(), for Goal::distance; [kLevels] different nodes.
  std::array<double, kLevels + 1> distance{};
  /// Slot of each process now; empty: process i in slot i.
  std::vector<int> now;
  /// Time limit of the search. Unset: at most 50 ms for 1 000 processes, 1 s for 10 000, 20 s for
  /// 100 000 on one core. It is converted to a number of steps, so that the mapping is the same on
  /// every machine; slow machines take longer.
  std::optional<double> time_limit_s;
};

/// One candidate of the portfolio and its score.
struct Candidate {
  std::string method;  ///< "observed", "blocks", "subdomain_map", "strips", "multilevel" ...
  Score score;
  double seconds = 0;  ///< of CPU time to find it
};

struct MappingResult {
  std::vector<int> slot_of;  ///< of each process; each slot at most once
  std::string method;        ///< of the candidate that won; "+ swaps" if refined
  Score before, after;
  std::vector<Candidate> candidates;
  bool nothing_to_gain = false;  ///< `now` is kept: nothing better by the goal was found
};

/// The score of an assignment.
/// @param slot_of  slot of each process
/// @throws Error when the assignment does not fit the request
Score score_of(const MappingRequest& request, const std::vector<int>& slot_of);

}  // namespace plait::mapping
