// SPDX-License-Identifier: BSD-3-Clause
// Mapping tasks with the best legal figures known, from six solvers and two papers' grids.
#pragma once

#include <string>
#include <vector>

#include "map/mapping.hpp"

namespace plait::bench {

/// A task and what a mapping of it must reach.
struct MappingTask {
  std::string name;
  map::MappingRequest request;
  /// At most so many bytes between nodes, and of the busiest node; below 0: not asked.
  double cut = -1;
  double busiest = -1;
  /// At most this sum of bytes times distance; below 0: not asked.
  double distance = -1;
};

/// Grids on nodes, block start: cut and busiest node. All pairs count once.
std::vector<MappingTask> node_tasks();

/// The layouts that MPI libraries give 32 ranks on 4 nodes, and what reordering makes of them.
std::vector<MappingTask> layout_tasks();

/// Grids on trees of node, package, L3 and core: sum of bytes times distance.
std::vector<MappingTask> tree_tasks();

/// Points at random in the unit square, numbered at random, those nearer than `radius` paired with
/// weight 1: coordinates x0 y0 x1 y1 ... are bits() / 2^64 of SplitMix64 (Steele, Lea, Flood 2014)
/// from this seed.
map::Graph random_geometric(int points, double radius, unsigned seed);

/// 512 such points on 8 nodes of 64: no target but what others reach on the same graph.
MappingTask random_task();

/// Request for a grid whose process i is in slot i of nodes of these capacities.
map::MappingRequest grid_on_nodes(const std::vector<int>& dims, bool periodic,
                                  const std::vector<int>& capacity,
                                  const std::vector<double>& bytes = {});

/// Slots of nodes of packages of caches of cores, all alike.
map::Slots uniform_tree(int nodes, int packages, int caches, int cores);

}  // namespace plait::bench
