// SPDX-License-Identifier: BSD-3-Clause
// Where processes can be put: slots of some cores each, in a tree of node, package, NUMA domain, L3
// and core.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "machine/topology.hpp"

namespace plait::map {

/// Levels of the tree, from the outside.
enum class Level { node, package, numa, cache, core };
inline constexpr std::size_t kLevels = 5;

/// One place for one process: the group that it belongs to on each level. Group numbers are unique
/// on their level over the whole cluster (package 3 may lie on node 1); a slot that spans several
/// groups of a level has the number of the first.
using Slot = std::array<int, kLevels>;

/// The slots of a cluster in the order in which its processes are numbered now: slot i is where
/// rank i runs (or would run). A capacity is a number of slots, so none can be exceeded.
struct Slots {
  std::vector<Slot> of;
  std::vector<std::string> nodes;  ///< name of each node; may be empty

  [[nodiscard]] int size() const { return static_cast<int>(of.size()); }
  [[nodiscard]] int node_of(int slot) const { return of[static_cast<std::size_t>(slot)][0]; }
};

/// The deepest level on which two slots share a group; kLevels stands for "not even the node",
/// so that 0 = same node only, 4 = same core.
std::size_t meeting_level(const Slot& a, const Slot& b);

/// Slots on nodes that are alike inside: only the node of each rank is known.
Slots slots_on_nodes(const std::vector<int>& node_of_rank);

/// Slots of `cores` cores each on the allowed cores of a node, in core order; none spans two groups
/// of a level where it need not, and cores that are left over in a group stay idle.
/// @param first  numbers of the groups to begin with on each level
std::vector<Slot> slots_of_node(const machine::Topology& node, int cores, const Slot& first);

}  // namespace plait::map
