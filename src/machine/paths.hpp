// SPDX-License-Identifier: BSD-3-Clause
// Paths: pairs of cores grouped by the hardware that they share (Henriksen 2008, chapter 5).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "machine/topology.hpp"

namespace plait::machine {

/// A pair of core ids, the lower first. {c, c} means two hardware threads of core c.
using CorePair = std::array<int, 2>;

/// A kind of path. Ids: "smt", "l1", "l2", "l3", "l4", "numa", "package", "node".
struct PathKind {
  std::string id;
  std::string name;  ///< "same core", "shared L2", "same NUMA domain", "same package", "same node"
  friend bool operator==(const PathKind&, const PathKind&) = default;
};

/// All pairs of allowed cores with the same kind of path.
struct PathClass {
  PathKind kind;
  std::vector<CorePair> pairs;  ///< in ascending order
};

/// The kind of path between two cores: the smallest piece of hardware that both share. Hardware
/// that spans several packages, such as one memory for the whole node, counts as the node.
/// Henriksen, table 5.1: 1 same core, 2 shared L2, 3 same package (memory bus), 4 nothing shared.
PathKind path_between(const Topology& topology, int core_a, int core_b);

/// The classes among the allowed cores, nearest first. "smt" lists the cores of which two or more
/// hardware threads are allowed.
std::vector<PathClass> path_classes(const Topology& topology);

/// A sample of the pairs of each class, for nodes with many cores: at most `per_class` pairs,
/// evenly spaced over the list including the first and the last. The sample is the same in every
/// run.
std::vector<PathClass> sample_pairs(const std::vector<PathClass>& classes, int per_class);

}  // namespace plait::machine
