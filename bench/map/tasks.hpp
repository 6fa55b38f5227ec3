// SPDX-License-Identifier: BSD-3-Clause
// Mapping tasks with the best known valid figures, from six solvers and the grids of two papers.
#pragma once

#include <string>
#include <vector>

#include "mapping/mapping.hpp"

namespace plait::bench {

/// A task and the targets for its mapping.
struct MappingTask {
  std::string name;
  mapping::MappingRequest request;
  /// Largest bytes between nodes, and of the busiest node; negative: no target.
  double cut = -1;
  double busiest = -1;
  /// Largest sum of bytes times distance; negative: no target.
  double distance = -1;
};

/// Grids on nodes with a block start: cut and busiest node. All pairs count once.
std::vector<MappingTask> node_tasks();

/// The layouts of MPI libraries for 32 ranks on 4 nodes, and the results of reordering.
std::vector<MappingTask> layout_tasks();

/// Grids on trees of node, package, L3 and core: sum of bytes times distance.
std::vector<MappingTask> tree_tasks();

/// Random points in the unit square in random order. Points closer than `radius` are paired with
/// weight
/// 1. Coordinates x0 y0 x1 y1 ... are bits() / 2^64 of SplitMix64 (Steele, Lea, Flood 2014) with
/// this seed.
mapping::Graph random_geometric(int points, double radius, unsigned seed);

/// 512 such points on 8 nodes of 64 slots; the target is what others reach on the same graph.
MappingTask random_task();

/// A request for a grid whose process i is in slot i of nodes with these capacities.
mapping::MappingRequest grid_on_nodes(const std::vector<int>& dims, bool periodic,
                                      const std::vector<int>& capacity,
                                      const std::vector<double>& bytes = {});

/// Slots of identical nodes of packages of caches of cores.
mapping::Slots uniform_tree(int nodes, int packages, int caches, int cores);

}  // namespace plait::bench
