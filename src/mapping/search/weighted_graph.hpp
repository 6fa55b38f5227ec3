// SPDX-License-Identifier: BSD-3-Clause
// The graph that the search uses: each pair has one weight, the same from both ends.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mapping/mapping.hpp"

namespace plait::mapping {

/// A pair, seen from one of its processes.
struct Arc {
  int to = 0;
  double weight = 0;  ///< for the cut and for distances: bytes, mean of both directions
  double load = 0;    ///< on the card of a node, when the pair leaves the node
};

/// Processes and their pairs, in compressed rows.
struct WeightedGraph {
  std::vector<std::size_t> first{0};
  std::vector<Arc> arcs;

  [[nodiscard]] int size() const { return static_cast<int>(first.size()) - 1; }
  [[nodiscard]] std::span<const Arc> of(int process) const {
    const auto p = static_cast<std::size_t>(process);
    return {arcs.data() + first[p], first[p + 1] - first[p]};
  }
};

/// The graph of a request with mean weights. Loads are times on the card for Goal::exchange_time,
/// else the weights.
/// @throws Error when a row is not ascending, names an unknown process or its own, or has an entry
///         without counterpart, or when bytes are negative or not numbers.
WeightedGraph weighted_graph(const MappingRequest& request);

/// The part of a graph between some processes.
/// @param members  the processes; process i of the result is members[i]
/// @param local  scratch, -1 for every process of `graph` before and after the call
WeightedGraph part_of_graph(const WeightedGraph& graph, const std::vector<int>& members,
                            std::vector<int>& local);

}  // namespace plait::mapping
