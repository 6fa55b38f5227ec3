// SPDX-License-Identifier: BSD-3-Clause
// Cuts a graph in two sides of given capacities.
#pragma once

#include <array>
#include <vector>

#include "mapping/search/random.hpp"
#include "mapping/search/weighted_graph.hpp"

namespace plait::mapping {

/// Cuts a graph into sides 0 and 1 by the multilevel method.
/// @param capacity  of both sides, together at least the graph's size
/// @param target  initial number of processes on side 0
/// @return side of each process
std::vector<int> bisect(const WeightedGraph& graph, const std::array<int, 2>& capacity, int target,
                        int tries, Random& random);

}  // namespace plait::mapping
