// SPDX-License-Identifier: BSD-3-Clause
// The graph as the search sees it: every pair has one weight, the same from both ends.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "map/mapping.hpp"

namespace plait::map {

/// A pair, seen from one of its processes.
struct Arc {
  int to = 0;
  double weight = 0;  ///< what counts for the cut and for distances: bytes, mean of both directions
  double load = 0;    ///< what it takes of a node's card when it leaves the node
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

/// The request's graph with mean weights; loads are times of the card for Goal::exchange_time, else
/// the weights.
/// @throws Error when rows are not ascending, name a process that is not there or themselves, have
///         no counterpart, or bytes are negative or no numbers.
WeightedGraph weighted_graph(const MappingRequest& request);

/// The part of a graph between some processes. @param members  their numbers; their order numbers
/// the result. @param local  scratch: -1 for every process of `graph`, and so again afterwards
WeightedGraph part_of_graph(const WeightedGraph& graph, const std::vector<int>& members,
                            std::vector<int>& local);

}  // namespace plait::map
