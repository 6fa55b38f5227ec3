// SPDX-License-Identifier: BSD-3-Clause
// Divides cores among the nodes of a cluster.
#pragma once

#include <vector>

namespace plait::cluster {

/// Indices of the cores of each node. Each node gets the next `per_node` cores in a cycle, so that
/// nodes share cores only if there are too few.
/// @param cores     number of cores
/// @param per_node  0: cores / nodes, at least one
/// @throws Error when there are fewer cores than one node needs.
std::vector<std::vector<int>> share_cores(int cores, int nodes, int per_node);

}  // namespace plait::cluster
