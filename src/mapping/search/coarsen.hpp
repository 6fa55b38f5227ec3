// SPDX-License-Identifier: BSD-3-Clause
// Coarsens a graph: joins pairs of vertices, so that a smaller graph keeps its shape.
#pragma once

#include <vector>

#include "mapping/search/random.hpp"
#include "mapping/search/weighted_graph.hpp"

namespace plait::mapping {

/// A graph whose vertices are one or more processes each.
struct CoarseGraph {
  WeightedGraph graph;
  std::vector<int> sizes;      ///< number of processes of each vertex
  std::vector<int> vertex_of;  ///< vertex of each vertex of the finer graph
};

/// Joins pairs of vertices with a heavy edge relative to their sizes (heavy-edge matching; rated as
/// in Holtgrewe, Sanders and Schulz 2010). No joined vertex has more than `most` processes.
CoarseGraph coarsen(const WeightedGraph& graph, const std::vector<int>& sizes, int most,
                    Random& random);

}  // namespace plait::mapping
