// SPDX-License-Identifier: BSD-3-Clause
// Builds the solver's graph from a topology's edges.
#pragma once

#include <vector>

#include "mapping/graph.hpp"

namespace plait::preload::mapper {

struct Edge {
  int from, to;
  double weight;  ///< relative; 0 is allowed
};

/// The graph of directed edges: equal ones are summed, those of a vertex to itself left out.
/// Weights are scaled to bytes, so that their mean is kBytesOfEdge.
/// @param edges  between vertices 0 to `vertices` - 1
mapping::Graph graph_of_edges(std::vector<Edge> edges, int vertices);

}  // namespace plait::preload::mapper
