// SPDX-License-Identifier: BSD-3-Clause
// Chooses which process goes to which slot, so that an exchange takes the least time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "map/graph.hpp"
#include "map/slots.hpp"

namespace plait::map {

/// What a message between two slots costs.
struct PathCost {
  double seconds = 0;           ///< a message, however short
  double seconds_per_byte = 0;  ///< alone on the path
};

/// What an exchange costs. LogGP with the network card of a node shared by its processes:
/// T = max over processes of its messages inside the node (one after the other) and over nodes of
/// what the card sends or receives, whichever is more, plus one latency.
struct Costs {
  /// By meeting_level(): [0] same node only ... [4] same core, [kLevels] different nodes.
  std::array<PathCost, kLevels + 1> path{};
  /// Of a node's card, each direction by itself; all processes of the node share it.
  PathCost card;
};

/// Costs of a cluster of ordinary nodes, for when nothing was measured; says so where it is
/// printed.
Costs default_costs();

/// How good an assignment is.
struct Score {
  double time_s = 0;           ///< one exchange, as Costs has it
  double cut = 0;              ///< bytes between nodes, mean of both directions, over all pairs
  double busiest_node = 0;     ///< the same, of the node that has most
  double distance = 0;         ///< J: sum over pairs of bytes x MappingRequest::distance
  std::int64_t cut_pairs = 0;  ///< neighbour pairs on different nodes
  std::int64_t pairs = 0;      ///< all neighbour pairs
};

/// What is minimised first; ties are broken by the others.
enum class Goal {
  exchange_time,  ///< time_s, then cut, then busiest_node
  cut,            ///< cut, then busiest_node
  distance,       ///< J
};

struct MappingRequest {
  Graph graph;                    ///< at most slots.size() processes
  std::optional<Cartesian> grid;  ///< where the graph is one: opens the geometric methods
  Slots slots;
  Costs costs = default_costs();
  Goal goal = Goal::exchange_time;
  /// Distance by meeting_level(), for Goal::distance; [kLevels] different nodes.
  std::array<double, kLevels + 1> distance{};
  /// Slot of each process now; empty: process i in slot i.
  std::vector<int> now;
  /// What the search may take; the defaults are at most 50 ms at 1 000 processes, 1 s at 10 000,
  /// 20 s at 100 000 on one core. Turned into a number of steps, so that the mapping is the same on
  /// every machine; a slow one takes longer.
  std::optional<double> time_limit_s;
};

/// One member of the portfolio and what it reached.
struct Candidate {
  std::string method;  ///< "observed", "blocks", "subdomain_map", "strips", "multilevel" ...
  Score score;
  double seconds = 0;  ///< of CPU that it took
};

struct MappingResult {
  std::vector<int> slot_of;  ///< of each process; each slot at most once
  std::string method;        ///< the candidate that won, "+ swaps" where refined
  Score before, after;
  std::vector<Candidate> candidates;
  bool nothing_to_gain = false;  ///< `now` is kept: nothing found was better by the goal
};

/// Chooses a mapping: the same for the same request, on every machine. Never worse than `now`.
/// Works on one thread; uses no MPI, no files, no global state.
/// @throws Error when there are more processes than slots or `now` is no placement.
MappingResult map_processes(const MappingRequest& request);

/// The score of an assignment. @param slot_of  slot of each process
Score score_of(const MappingRequest& request, const std::vector<int>& slot_of);

}  // namespace plait::map
