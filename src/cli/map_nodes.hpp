// SPDX-License-Identifier: BSD-3-Clause
// The nodes that processes are mapped to, as they are named on the command line of plait map.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "launch/slurm_allocation.hpp"
#include "machine/cpuset.hpp"
#include "map/gain.hpp"
#include "map/slots.hpp"

namespace plait::cli {

/// Slots, and what is known of them besides.
struct MapNodes {
  map::Slots slots;
  std::vector<machine::CpuSet> pus;  ///< of each slot; an empty set where it is bound to none
  std::string text;                  ///< "4 nodes of 8 slots"
  map::CostsRange costs = map::default_costs_range();  ///< of the first machine that was measured
};

/// From "4x8" (nodes x slots), "12,8,8,4" (slots of each node) or both mixed: "2x12,8".
/// @throws Error when it is neither.
MapNodes nodes_by_capacity(const std::string& text);

/// From "n1:8,n2:8,n3:4": names with slots.
/// @throws Error when a number of slots is missing or a name comes twice.
MapNodes nodes_by_host(const std::string& text);

/// The nodes of a Slurm job, with a slot for each rank that Slurm starts there.
MapNodes nodes_of_allocation(const launch::SlurmAllocation& allocation);

/// Nodes as machine files and names describe them, each perhaps with how many there are:
/// "4xtownsend". Slots lie in the order of cores.
/// @param cores  of a slot
/// @throws Error as open_machine() does, and when a node has no room for a slot.
MapNodes nodes_of_machines(const std::vector<std::string>& specs, int cores);

/// Gives the nodes the names in "a,b,c,d". @throws Error when there are more or fewer.
void name_nodes(MapNodes& nodes, const std::string& names);

/// Slots of processes that are dealt to the nodes in turn, past full ones.
std::vector<int> dealt_in_turn(const map::Slots& slots, int processes);

/// Distances by meeting_level() from "1:10:100", innermost first, as many as the slots have levels
/// on which two of them meet, the last between nodes.
/// @throws Error that names the levels when there are more numbers than levels.
std::array<double, map::kLevels + 1> parse_distances(const std::string& text,
                                                     const map::Slots& slots);

}  // namespace plait::cli
