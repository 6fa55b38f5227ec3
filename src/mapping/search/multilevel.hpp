// SPDX-License-Identifier: BSD-3-Clause
// Partitions any graph into parts of given capacities: multilevel recursive bisection, growth.
#pragma once

#include <vector>

#include "mapping/search/weighted_graph.hpp"

namespace plait::mapping {

/// The use of the capacities if there are fewer processes than slots.
enum class Fill {
  any,   ///< whatever gives the best cut
  even,  ///< all parts in proportion
};

/// Multilevel recursive bisection (Karypis and Kumar 1998) with exact targets: halves the list of
/// parts and cuts the graph so that each half holds what its parts can, by heavy-edge matching,
/// growth on the coarsest graph and refinement on each level.
/// @param tries  growths on the coarsest graph; the best one is used
/// @return part of each process; no capacity is exceeded if their sum is large enough
std::vector<int> recursive_bisection(const WeightedGraph& graph, const std::vector<int>& capacity,
                                     Fill fill, int tries, unsigned seed);

/// Fills one part after the other. Adds the process with the most weight to the part relative to
/// the rest (greedy graph growing).
std::vector<int> greedy_growth(const WeightedGraph& graph, const std::vector<int>& size);

}  // namespace plait::mapping
