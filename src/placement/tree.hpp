// SPDX-License-Identifier: BSD-3-Clause
// Packs or spreads ranks over a node, treated as a tree of what its cores share.
#pragma once

#include <vector>

#include "machine/cpuset.hpp"
#include "machine/topology.hpp"
#include "placement/intent.hpp"

namespace plait::placement {

/// The sets of cores of a node that are a place of this kind, in core order. Only allowed cores, no
/// empty sets. Empty when the node has no such places.
std::vector<std::vector<int>> groups_of(const machine::Topology& node, const Place& place);

/// What one thread gets: a core with all its allowed hardware threads, or one of them.
struct Unit {
  int core = 0;
  machine::CpuSet pus;
};

/// The units of each rank, packed: in core order, each rank in as few caches and memories as
/// possible. A group of cores without room for another whole rank is skipped while other groups
/// have room.
/// @param units  at least ranks * threads, in core order
std::vector<std::vector<Unit>> packed_units(const machine::Topology& node,
                                            const std::vector<Unit>& units, int ranks, int threads);

/// The units of each rank, spread: as evenly over packages, memories and caches as their size
/// allows. With fewer ranks than groups, the threads of a rank are spread over its groups.
std::vector<std::vector<Unit>> spread_units(const machine::Topology& node,
                                            const std::vector<Unit>& units, int ranks, int threads);

}  // namespace plait::placement
