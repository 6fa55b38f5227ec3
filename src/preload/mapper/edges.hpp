// SPDX-License-Identifier: BSD-3-Clause
// The graph for the solver out of a topology's edges.
#pragma once

#include <vector>

#include "map/graph.hpp"

namespace plait::preload::mapper {

struct Edge {
  int from, to;
  double weight;  ///< relative; 0 is allowed
};

/// The graph of directed edges: equal ones are summed, those of a vertex to itself left out.
/// Weights are scaled so that their mean stands for kBytesOfEdge.
/// @param edges  between vertices 0 to `vertices` - 1
map::Graph graph_of_edges(std::vector<Edge> edges, int vertices);

}  // namespace plait::preload::mapper
