// SPDX-License-Identifier: BSD-3-Clause
// Packs or spreads ranks over a node, seen as a tree of what its cores share.
#pragma once

#include <vector>

#include "machine/cpuset.hpp"
#include "machine/topology.hpp"

namespace plait::map {

/// What one thread gets: a core with all its allowed hardware threads, or one of them.
struct Unit {
  int core = 0;
  machine::CpuSet pus;
};

/// The units of each rank, packed: in the order of cores, a rank in as few caches and memories as
/// it can be; a group of cores that has no room for another whole rank is left, while there are
/// others.
/// @param units  at least ranks * threads, in the order of cores
std::vector<std::vector<Unit>> packed_units(const machine::Topology& node,
                                            const std::vector<Unit>& units, int ranks, int threads);

/// The units of each rank, spread: as evenly over packages, memories and caches as they have room;
/// with fewer ranks than groups, a rank's threads are spread over the groups that it has.
std::vector<std::vector<Unit>> spread_units(const machine::Topology& node,
                                            const std::vector<Unit>& units, int ranks, int threads);

}  // namespace plait::map
