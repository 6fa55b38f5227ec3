// SPDX-License-Identifier: BSD-3-Clause
// Partitions of any graph into parts of given capacities: multilevel recursive bisection, growth.
#pragma once

#include <vector>

#include "map/search/weighted_graph.hpp"

namespace plait::map {

/// How capacities are used where there are fewer processes than they hold.
enum class Fill {
  any,   ///< as the cut asks for
  even,  ///< all parts in proportion
};

/// Multilevel recursive bisection (Karypis and Kumar 1998) with exact targets: parts are halved,
/// the graph is cut so that each half holds what its parts can, by heavy-edge matching, growth on
/// the coarsest graph and refinement on each level.
/// @param tries  growths on the coarsest graph, of which the best counts
/// @return part of each process; no capacity is exceeded where they hold all processes together
std::vector<int> recursive_bisection(const WeightedGraph& graph, const std::vector<int>& capacity,
                                     Fill fill, int tries, unsigned seed);

/// Fills one part after the other with the process that has most pairs with it, those that have
/// fewest elsewhere first (greedy graph growing).
std::vector<int> greedy_growth(const WeightedGraph& graph, const std::vector<int>& size);

}  // namespace plait::map
