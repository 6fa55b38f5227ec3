// SPDX-License-Identifier: BSD-3-Clause
// Smaller graphs that keep the shape of a large one.
#pragma once

#include <vector>

#include "map/search/random.hpp"
#include "map/search/weighted_graph.hpp"

namespace plait::map {

/// A graph whose vertices stand for one or more processes.
struct CoarseGraph {
  WeightedGraph graph;
  std::vector<int> sizes;      ///< processes of each vertex
  std::vector<int> vertex_of;  ///< vertex of each vertex of the finer graph
};

/// Joins pairs of vertices that have heavy pairs between them for their sizes (heavy-edge matching;
/// rated as in Holtgrewe, Sanders and Schulz 2010), none to more than `most` processes.
CoarseGraph coarsen(const WeightedGraph& graph, const std::vector<int>& sizes, int most,
                    Random& random);

}  // namespace plait::map
