// SPDX-License-Identifier: BSD-3-Clause
// Slots for processes, each of some cores, in a tree of node, package, NUMA domain, L3 and core.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "machine/topology.hpp"

namespace plait::mapping {

/// Levels of the tree, from the outside.
enum class Level { node, package, numa, cache, core };
inline constexpr std::size_t kLevels = 5;

/// A place for one process: its group on each level. Group numbers are unique on their level in the
/// whole cluster (package 3 may be on node 1). A slot that spans several groups of a level has the
/// number of the first.
using Slot = std::array<int, kLevels>;

/// The slots of a cluster in the order of the present ranks: rank i runs (or would run) in slot i.
/// The capacity of a node is its number of slots.
struct Slots {
  std::vector<Slot> of;
  std::vector<std::string> nodes;  ///< name of each node; may be empty

  [[nodiscard]] int size() const { return static_cast<int>(of.size()); }
  [[nodiscard]] int node_of(int slot) const { return of[static_cast<std::size_t>(slot)][0]; }
};

/// The deepest level on which two slots share a group: 0 = same node only, 4 = same core, kLevels =
/// different nodes.
std::size_t meeting_level(const Slot& a, const Slot& b);

/// Slots when only the node of each rank is known: those of a node share nothing else.
Slots slots_on_nodes(const std::vector<int>& node_of_rank);

/// Slots of `cores` cores each on the allowed cores of a node, in core order. A slot spans two
/// groups of a level only if it does not fit into one; cores left over in a group stay idle.
/// @param first  the first group number on each level
std::vector<Slot> slots_of_node(const machine::Topology& node, int cores, const Slot& first);

}  // namespace plait::mapping
