// SPDX-License-Identifier: BSD-3-Clause
// Defines the mapping tasks: grids, nodes, targets.
#include "tasks.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace plait::bench {
namespace {

using mapping::MappingRequest;

mapping::Slots slots_of(const std::vector<int>& capacity) {
  std::vector<int> node_of;
  for (std::size_t node = 0; node < capacity.size(); ++node) {
    node_of.insert(node_of.end(), static_cast<std::size_t>(capacity[node]), static_cast<int>(node));
  }
  return mapping::slots_on_nodes(node_of);
}

/// The same nodes, with slots numbered round-robin over the nodes.
MappingRequest cyclic(MappingRequest request, int nodes) {
  std::vector<int> node_of;
  for (int slot = 0; slot < request.slots.size(); ++slot) node_of.push_back(slot % nodes);
  request.slots = mapping::slots_on_nodes(node_of);
  return request;
}

/// SplitMix64 (Steele, Lea and Flood 2014).
class SplitMix {
public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  double fraction() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
  }

private:
  std::uint64_t state_;
};

}  // namespace

MappingRequest grid_on_nodes(const std::vector<int>& dims, bool periodic,
                             const std::vector<int>& capacity, const std::vector<double>& bytes) {
  mapping::Cartesian grid;
  grid.dims = dims;
  grid.periodic.assign(dims.size(), periodic);
  grid.bytes = bytes;
  grid.pairs_once = true;
  MappingRequest request;
  request.graph = mapping::graph_of(grid);
  request.grid = grid;
  request.slots = slots_of(capacity);
  request.goal = mapping::Goal::cut;
  return request;
}

std::vector<MappingTask> node_tasks() {
  const auto nodes = [](int number, int capacity) {
    return std::vector<int>(static_cast<std::size_t>(number), capacity);
  };
  std::vector<MappingTask> tasks{
      {"4x4x2 open 4x8", grid_on_nodes({4, 4, 2}, false, nodes(4, 8)), 16, 8},
      {"4x4x2 w(8,1,1) 4x8", grid_on_nodes({4, 4, 2}, false, nodes(4, 8), {8, 1, 1}), 24, 12},
      {"8x4 open 4x8", grid_on_nodes({8, 4}, false, nodes(4, 8)), 12, 6},
      {"4x8 periodic 4x8", grid_on_nodes({4, 8}, true, nodes(4, 8)), 16, 8},
      {"6x5 on 8,8,8,6", grid_on_nodes({6, 5}, false, {8, 8, 8, 6}), 13, 7},
      {"4x4x2 on 12,8,8,4", grid_on_nodes({4, 4, 2}, false, {12, 8, 8, 4}), 16, 10},
      {"8x12 4x24", grid_on_nodes({8, 12}, false, nodes(4, 24)), 20, 10},
      {"7x5x3 5x21", grid_on_nodes({7, 5, 3}, false, nodes(5, 21)), 54, 29},
      {"16x8x8 16x64", grid_on_nodes({16, 8, 8}, false, nodes(16, 64)), 448, 64},
      {"12x10x9 per. 10x108", grid_on_nodes({12, 10, 9}, true, nodes(10, 108)), 720, 144},
  };
  MappingTask points{"8x8x8 27-pt 8x64", grid_on_nodes({8, 8, 8}, false, nodes(8, 64)), 17788,
                     4447};
  points.request.grid->stencil = mapping::Stencil::full;
  points.request.grid->bytes = {64, 8, 1};
  points.request.graph = mapping::graph_of(*points.request.grid);
  tasks.push_back(points);
  return tasks;
}

std::vector<MappingTask> layout_tasks() {
  const std::vector<int> even{8, 8, 8, 8};
  const std::vector<int> uneven{12, 8, 8, 4};
  std::vector<MappingTask> tasks{
      {"2x4x4 open", grid_on_nodes({2, 4, 4}, false, even), 16, 8},
      {"4x8 open", grid_on_nodes({4, 8}, false, even), 12, 8},
      {"8x4 periodic", grid_on_nodes({8, 4}, true, even), 16, 8},
      {"4x4x2 periodic", grid_on_nodes({4, 4, 2}, true, even), 32, 16},
      {"32x1 open", grid_on_nodes({32, 1}, false, even), 3, -1},
      {"6x5 (30 of 32)", grid_on_nodes({6, 5}, false, even), 13, 9},
      {"3x3x3 (27 of 32)", grid_on_nodes({3, 3, 3}, false, even), 20, 12},
      {"5x6 per. (30 of 32)", grid_on_nodes({5, 6}, true, even), 23, 12},
      {"4x4x2 per. uneven", grid_on_nodes({4, 4, 2}, true, uneven), 32, -1},
      {"2x4x4 uneven", grid_on_nodes({2, 4, 4}, false, uneven), 16, -1},
      {"4x8 uneven", grid_on_nodes({4, 8}, false, uneven), 12, -1},
      {"3x3x3 uneven", grid_on_nodes({3, 3, 3}, false, uneven), 16, -1},
  };
  const std::vector<MappingTask> from_blocks(tasks.begin(), tasks.begin() + 5);
  for (MappingTask task : from_blocks) {
    task.request = cyclic(task.request, 4);
    task.name += " cyclic";
    tasks.push_back(task);
  }
  return tasks;
}

mapping::Slots uniform_tree(int nodes, int packages, int caches, int cores) {
  mapping::Slots slots;
  for (int slot = 0; slot < nodes * packages * caches * cores; ++slot) {
    const int cache = slot / cores;
    const int package = cache / caches;
    slots.of.push_back({package / packages, package, package, cache, slot});
  }
  return slots;
}

std::vector<MappingTask> tree_tasks() {
  const auto tree = [](const std::vector<int>& dims, bool periodic, const mapping::Slots& slots,
                       const std::array<double, mapping::kLevels + 1>& distance) {
    MappingRequest request = grid_on_nodes(dims, periodic, std::vector<int>{slots.size()});
    request.slots = slots;
    request.goal = mapping::Goal::distance;
    request.distance = distance;
    return request;
  };
  return {
      {"4x4x2 4n 2s 4c", tree({4, 4, 2}, false, uniform_tree(4, 2, 1, 4), {10, 1, 1, 1, 0, 100}),
       -1, -1, 1792},
      {"8x8x4 per. 8n 2s 16c",
       tree({8, 8, 4}, true, uniform_tree(8, 2, 1, 16), {10, 1, 1, 1, 0, 100}), -1, -1, 20352},
      {"6x4x4 4n 2s 3l 4c", tree({6, 4, 4}, false, uniform_tree(4, 2, 3, 4), {10, 3, 3, 1, 0, 100}),
       -1, -1, 4528},
  };
}

mapping::Graph random_geometric(int points, double radius, unsigned seed) {
  SplitMix random(seed);
  const auto n = static_cast<std::size_t>(points);
  std::vector<double> x(n);
  std::vector<double> y(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = random.fraction();
    y[i] = random.fraction();
  }
  mapping::Graph graph;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const double distance = std::hypot(x[i] - x[j], y[i] - y[j]);
      if (i == j || distance > radius) continue;
      graph.to.push_back(static_cast<int>(j));
      graph.bytes.push_back(1);
    }
    graph.first.push_back(static_cast<std::int64_t>(graph.to.size()));
  }
  return graph;
}

MappingTask random_task() {
  MappingTask task;
  task.name = "random geometric 8x64";
  task.request.graph = random_geometric(512, 0.0766, 512);
  task.request.slots = slots_of(std::vector<int>(8, 64));
  task.request.goal = mapping::Goal::cut;
  return task;
}

}  // namespace plait::bench
