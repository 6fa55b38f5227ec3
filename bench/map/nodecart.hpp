// SPDX-License-Identifier: BSD-3-Clause
// The block of a node with the least surface, as in Gropp's nodecart: a reference.
#pragma once

#include <vector>

#include "mapping/graph.hpp"

namespace plait::bench {

/// The node of each process if nodes of `capacity` processes are blocks that divide the grid: the
/// block with the least weighted surface of all (Gropp 2019, "Using node and socket information to
/// implement MPI Cartesian topologies"); empty when no block divides the grid.
std::vector<int> nodecart(const mapping::Cartesian& grid, int capacity);

}  // namespace plait::bench
