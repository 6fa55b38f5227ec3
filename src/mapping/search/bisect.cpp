// SPDX-License-Identifier: BSD-3-Clause
// Bisects a graph by the multilevel method: coarsen, grow one side, refine on each finer level.
#include "mapping/search/bisect.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <queue>

#include "mapping/search/coarsen.hpp"
#include "mapping/search/refine.hpp"

namespace plait::mapping {
namespace {

/// The number of vertices of the coarsest graph.
constexpr int kCoarsest = 48;

/// Grows side 0 from a vertex. Adds the vertex with the most weight to side 0 relative to side 1.
std::vector<int> grown(const WeightedGraph& graph, const std::vector<int>& sizes, int target,
                       int seed) {
  const auto vertices = static_cast<std::size_t>(graph.size());
  std::vector<int> side(vertices, 1);
  std::vector<double> gain(vertices, 0);
  for (std::size_t v = 0; v < vertices; ++v) {
    for (const Arc& arc : graph.of(static_cast<int>(v))) gain[v] -= arc.weight;
  }
  std::priority_queue<std::pair<double, int>> next;  // gain, minus the vertex
  int filled = 0;
  int unseen = 0;
  next.emplace(gain[static_cast<std::size_t>(seed)], -seed);
  while (filled < target) {
    while (next.empty() && unseen < graph.size()) {  // another component
      if (side[static_cast<std::size_t>(unseen)] == 1) next.emplace(0, -unseen);
      ++unseen;
    }
    if (next.empty()) break;
    const int vertex = -next.top().second;
    const double known = next.top().first;
    next.pop();
    const auto v = static_cast<std::size_t>(vertex);
    if (side[v] == 0 || (known != gain[v] && known != 0)) continue;
    // The last vertex goes to the side where it exceeds the target less.
    if (2 * (target - filled) < sizes[v]) break;
    side[v] = 0;
    filled += sizes[v];
    for (const Arc& arc : graph.of(vertex)) {
      const auto u = static_cast<std::size_t>(arc.to);
      gain[u] += 2 * arc.weight;
      if (side[u] == 1) next.emplace(gain[u], -arc.to);
    }
  }
  return side;
}

class Bisection {
public:
  Bisection(const std::array<int, 2>& capacity, int target, int tries, Random& random)
      : capacity_(capacity), target_(target), tries_(tries), random_(random) {}

  std::vector<int> run(const WeightedGraph& graph) {
    const std::vector<int> ones(static_cast<std::size_t>(graph.size()), 1);
    most_ = std::max(1, graph.size() / (kCoarsest / 2));
    return cut(graph, ones);
  }

private:
  std::vector<int> cut(const WeightedGraph& graph, const std::vector<int>& sizes) {
    if (graph.size() <= kCoarsest) return best_grown(graph, sizes);
    const CoarseGraph coarse = coarsen(graph, sizes, most_, random_);
    // If few vertices find a partner, a smaller graph no longer resembles this one.
    if (20 * coarse.graph.size() > 19 * graph.size()) return best_grown(graph, sizes);
    const std::vector<int> coarse_side = cut(coarse.graph, coarse.sizes);
    std::vector<int> side(sizes.size());
    for (std::size_t v = 0; v < side.size(); ++v) {
      side[v] = coarse_side[static_cast<std::size_t>(coarse.vertex_of[v])];
    }
    return refined(graph, sizes, std::move(side)).of_process();
  }

  std::vector<int> best_grown(const WeightedGraph& graph, const std::vector<int>& sizes) {
    std::optional<Partition> best;
    for (int i = 0; i < std::min(tries_, graph.size()); ++i) {
      Partition partition =
          refined(graph, sizes, grown(graph, sizes, target_, random_.below(graph.size())));
      if (!best || excess(partition) < excess(*best) ||
          (excess(partition) == excess(*best) && better(partition.rating(), best->rating()))) {
        best = std::move(partition);
      }
    }
    return best ? best->of_process() : std::vector<int>();
  }

  static int excess(const Partition& partition) {
    return std::max(0, -partition.room(0)) + std::max(0, -partition.room(1));
  }

  Partition refined(const WeightedGraph& graph, const std::vector<int>& sizes,
                    std::vector<int> side) {
    // Large vertices seldom fill a side exactly. The finer graphs fill the rest.
    const int slack = *std::max_element(sizes.begin(), sizes.end()) - 1;
    loose_ = {capacity_[0] + slack, capacity_[1] + slack};
    Partition partition(graph, loose_, std::move(side), Aim::cut_then_load, &sizes);
    constexpr std::int64_t visits_per_pair = 60;
    refine(partition,
           visits_per_pair * static_cast<std::int64_t>(graph.arcs.size() + sizes.size()));
    return partition;
  }

  std::array<int, 2> capacity_;
  std::vector<int> loose_;
  int target_;
  int tries_;
  Random& random_;
  int most_ = 1;
};

}  // namespace

std::vector<int> bisect(const WeightedGraph& graph, const std::array<int, 2>& capacity, int target,
                        int tries, Random& random) {
  return Bisection(capacity, target, tries, random).run(graph);
}

}  // namespace plait::mapping
