// SPDX-License-Identifier: BSD-3-Clause
// The messages from a node's part of a large 3D grid to other nodes, by the shape of the part.
#pragma once

#include <cstdint>

#include "mapping/rank_map.hpp"

namespace plait::mapping {

/// Messages from the ranks of one node inside a large grid to other nodes in one exchange of faces,
/// with one rank per core (Stengel 2010, figures 3.2 and 3.3).
struct SubgridSurface {
  int cores = 1;
  Int3 block{};            ///< the box of `cores` subdomains with the least surface
  std::int64_t stick = 0;  ///< 1 x 1 x cores, as by MPI_Cart_create: 4 n + 2
  std::int64_t of_block = 0;
  double cube = 0;             ///< lower bound for every shape, reached by cubes: 6 n^(2/3)
  std::int64_t scattered = 0;  ///< no neighbour on the same node, as with ranks dealt in turn: 6 n
};

/// @param cores  >= 1
SubgridSurface subgrid_surface(int cores);

}  // namespace plait::mapping
