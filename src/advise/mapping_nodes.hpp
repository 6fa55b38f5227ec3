// SPDX-License-Identifier: BSD-3-Clause
// The nodes that processes are mapped to, and the syntax for them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "launcher/slurm_allocation.hpp"
#include "machine/cpuset.hpp"
#include "mapping/gain.hpp"
#include "mapping/slots.hpp"

namespace plait::advise {

/// Slots, with their hardware threads and the costs between them.
struct MapNodes {
  mapping::Slots slots;
  std::vector<machine::CpuSet> pus;  ///< of each slot; an empty set where it is bound to none
  std::string text;                  ///< "4 nodes of 8 slots"
  bool of_run = false;               ///< slot i is where rank i of the run was
  mapping::CostsRange costs =
      mapping::default_costs_range();  ///< of the first machine that was measured
};

/// From "4x8" (nodes x slots), "12,8,8,4" (slots of each node) or both mixed: "2x12,8".
/// @throws Error when it is neither.
MapNodes nodes_by_capacity(const std::string& text);

/// From "n1:8,n2:8,n3:4": names with slots.
/// @throws Error when a number of slots is missing or a name comes twice.
MapNodes nodes_by_host(const std::string& text);

/// The nodes of a Slurm job, with a slot for each rank that Slurm starts there.
MapNodes nodes_of_allocation(const launcher::SlurmAllocation& allocation);

/// Nodes as machine files and names describe them, each perhaps with how many there are:
/// "4xtownsend". Slots are in the order of cores.
/// @param cores  of a slot
/// @param ranks  how many ranks share each slot: it counts as that many slots
/// @throws Error as open_machine() does, and when a node has no room for a slot.
MapNodes nodes_of_machines(const std::vector<std::string>& specs, int cores, int ranks = 1);

/// Gives the nodes the names in "a,b,c,d". @throws Error when there are more or fewer.
void name_nodes(MapNodes& nodes, const std::string& names);

/// Slots of processes that are dealt to the nodes in turn, past full ones.
std::vector<int> dealt_in_turn(const mapping::Slots& slots, int processes);

/// Distances by meeting_level() from "1:10:100", innermost first, as many as the slots have levels
/// on which two of them meet, the last between nodes.
/// @throws Error that names the levels when there are more numbers than levels.
std::array<double, mapping::kLevels + 1> parse_distances(const std::string& text,
                                                         const mapping::Slots& slots);

}  // namespace plait::advise
