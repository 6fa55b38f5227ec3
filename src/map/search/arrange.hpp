// SPDX-License-Identifier: BSD-3-Clause
// Arranges the processes of each node over its packages, NUMA domains, caches and cores.
#pragma once

#include <vector>

#include "map/search/problem.hpp"

namespace plait::map {

/// Slots for processes whose nodes are given, where slots of a node differ: the processes of a node
/// are divided among its packages so that least goes between them, those of a package among its
/// NUMA domains, and so on; then exchanged as long as the sum of weights times distance falls.
std::vector<int> arranged(const Problem& problem, const std::vector<int>& node_of);

/// Exchanges two slots of a node as long as the sum of weights times distance falls.
/// @param most_visits  of pairs, after which it stops
void exchange_inside(const Problem& problem, std::vector<int>& slot_of, double most_visits);

}  // namespace plait::map
