// SPDX-License-Identifier: BSD-3-Clause
// Which cores the nodes of a cluster get.
#pragma once

#include <vector>

namespace plait::cluster {

/// Indices of the cores of each node: node k gets the next `per_node` in turn, so that nodes share
/// cores only when there are too few.
/// @param cores     how many there are
/// @param per_node  0: cores / nodes, at least one
/// @throws Error when there are fewer than one node needs.
std::vector<std::vector<int>> share_cores(int cores, int nodes, int per_node);

}  // namespace plait::cluster
