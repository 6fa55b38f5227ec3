// SPDX-License-Identifier: BSD-3-Clause
// The exact block of a node with the least surface, as Gropp's nodecart has it: a referee.
#pragma once

#include <vector>

#include "map/graph.hpp"

namespace plait::bench {

/// Node of each process when nodes of `capacity` processes are blocks that divide the grid, of all
/// such blocks the one with the least weighted surface (Gropp 2019, "Using node and socket
/// information to implement MPI Cartesian topologies"); empty when no block divides the grid.
std::vector<int> nodecart(const map::Cartesian& grid, int capacity);

}  // namespace plait::bench
