// SPDX-License-Identifier: BSD-3-Clause
// Matches vertices along heavy edges and builds the graph of the pairs.
#include "mapping/search/coarsen.hpp"

#include <numeric>
#include <utility>

namespace plait::mapping {
namespace {

std::vector<int> shuffled(int size, Random& random) {
  std::vector<int> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  for (int i = size; i > 1; --i) {
    std::swap(order[static_cast<std::size_t>(i - 1)],
              order[static_cast<std::size_t>(random.below(i))]);
  }
  return order;
}

/// The partner of each vertex; the vertex itself if it has none.
std::vector<int> heavy_matching(const WeightedGraph& graph, const std::vector<int>& sizes, int most,
                                Random& random) {
  std::vector<int> partner(static_cast<std::size_t>(graph.size()), -1);
  for (const int vertex : shuffled(graph.size(), random)) {
    const auto v = static_cast<std::size_t>(vertex);
    if (partner[v] >= 0) continue;
    int best = vertex;
    double heaviest = -1;
    for (const Arc& arc : graph.of(vertex)) {
      const auto u = static_cast<std::size_t>(arc.to);
      if (partner[u] >= 0 || sizes[v] + sizes[u] > most) continue;
      const double rating = arc.weight * arc.weight / (static_cast<double>(sizes[v]) * sizes[u]);
      if (rating > heaviest) {
        heaviest = rating;
        best = arc.to;
      }
    }
    partner[v] = best;
    partner[static_cast<std::size_t>(best)] = vertex;
  }
  return partner;
}

}  // namespace

CoarseGraph coarsen(const WeightedGraph& graph, const std::vector<int>& sizes, int most,
                    Random& random) {
  const std::vector<int> partner = heavy_matching(graph, sizes, most, random);
  CoarseGraph coarse;
  coarse.vertex_of.assign(partner.size(), -1);
  std::vector<std::pair<int, int>> members;  // the same vertex twice if it has no partner
  for (int vertex = 0; vertex < graph.size(); ++vertex) {
    const auto v = static_cast<std::size_t>(vertex);
    const auto u = static_cast<std::size_t>(partner[v]);
    if (coarse.vertex_of[v] >= 0) continue;
    coarse.vertex_of[v] = coarse.vertex_of[u] = static_cast<int>(members.size());
    coarse.sizes.push_back(u == v ? sizes[v] : sizes[v] + sizes[u]);
    members.emplace_back(vertex, partner[v]);
  }
  std::vector<std::size_t> place(members.size(), 0);  // where a neighbour's arc is, plus 1
  coarse.graph.arcs.reserve(graph.arcs.size());
  for (std::size_t own = 0; own < members.size(); ++own) {
    const std::size_t begin = coarse.graph.arcs.size();
    const auto add = [&](int vertex) {
      for (const Arc& arc : graph.of(vertex)) {
        const int to = coarse.vertex_of[static_cast<std::size_t>(arc.to)];
        const auto other = static_cast<std::size_t>(to);
        if (other == own) continue;
        if (place[other] > begin) {
          coarse.graph.arcs[place[other] - 1].weight += arc.weight;
          coarse.graph.arcs[place[other] - 1].load += arc.load;
        } else {
          coarse.graph.arcs.push_back({to, arc.weight, arc.load});
          place[other] = coarse.graph.arcs.size();
        }
      }
    };
    add(members[own].first);
    if (members[own].second != members[own].first) add(members[own].second);
    coarse.graph.first.push_back(coarse.graph.arcs.size());
  }
  return coarse;
}

}  // namespace plait::mapping
