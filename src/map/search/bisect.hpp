// SPDX-License-Identifier: BSD-3-Clause
// Cuts a graph in two halves of given capacities.
#pragma once

#include <array>
#include <vector>

#include "map/search/random.hpp"
#include "map/search/weighted_graph.hpp"

namespace plait::map {

/// A cut of a graph into sides 0 and 1 by the multilevel method.
/// @param capacity  of both sides, together at least the graph's size
/// @param target  processes of side 0 to begin with
/// @return side of each process
std::vector<int> bisect(const WeightedGraph& graph, const std::array<int, 2>& capacity, int target,
                        int tries, Random& random);

}  // namespace plait::map
