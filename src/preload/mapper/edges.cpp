// SPDX-License-Identifier: BSD-3-Clause
// Builds the solver's graph from a topology's edges.
#include "preload/mapper/edges.hpp"

#include <algorithm>
#include <tuple>

#include "preload/mapper/topology.hpp"

namespace plait::preload::mapper {

mapping::Graph graph_of_edges(std::vector<Edge> edges, int vertices) {
  std::erase_if(edges, [](const Edge& edge) { return edge.from == edge.to; });
  double sum = 0;
  for (const Edge& edge : edges) sum += edge.weight;
  const double scale = sum > 0 ? kBytesOfEdge * static_cast<double>(edges.size()) / sum : 0;
  // Each edge also in the other direction, with nothing sent: the pattern is symmetric.
  struct Traffic {
    int from, to;
    double bytes, messages;
  };
  std::vector<Traffic> traffic;
  traffic.reserve(2 * edges.size());
  for (const Edge& edge : edges) {
    traffic.push_back({edge.from, edge.to, edge.weight * scale, 1});
    traffic.push_back({edge.to, edge.from, 0, 0});
  }
  std::stable_sort(traffic.begin(), traffic.end(), [](const Traffic& a, const Traffic& b) {
    return std::tie(a.from, a.to) < std::tie(b.from, b.to);
  });
  mapping::Graph graph;
  const Traffic* last = nullptr;
  for (const Traffic& one : traffic) {
    if (last && last->from == one.from && last->to == one.to) {
      graph.bytes.back() += one.bytes;
      graph.messages.back() += one.messages;
      continue;
    }
    while (graph.size() < one.from)
      graph.first.push_back(static_cast<std::int64_t>(graph.to.size()));
    graph.to.push_back(one.to);
    graph.bytes.push_back(one.bytes);
    graph.messages.push_back(one.messages);
    last = &one;
  }
  while (graph.size() < vertices) graph.first.push_back(static_cast<std::int64_t>(graph.to.size()));
  return graph;
}

}  // namespace plait::preload::mapper
