// SPDX-License-Identifier: BSD-3-Clause
// Turns the node of each process into a slot on its packages, NUMA domains, caches and cores.
#pragma once

#include <vector>

#include "mapping/search/problem.hpp"

namespace plait::mapping {

/// Slots for processes with given nodes, moving as few processes as possible: nodes of the same
/// capacity may swap their names, and a process that stays on its node keeps its slot.
std::vector<int> slots_for(const Problem& problem, std::vector<int> node_of);

/// Slots for processes with given nodes, if the slots of a node differ: divides the processes of a
/// node among its packages so that the least traffic runs between them, those of a package among
/// its NUMA domains, and so on.
std::vector<int> arranged(const Problem& problem, const std::vector<int>& node_of);

/// Exchanges two slots of a node while the sum of weights times distance falls.
/// @param most_visits  stop after looking at this many pairs
void exchange_inside(const Problem& problem, std::vector<int>& slot_of, double most_visits);

}  // namespace plait::mapping
