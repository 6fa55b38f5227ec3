// SPDX-License-Identifier: BSD-3-Clause
// What a node's part of a large 3D grid sends to other nodes, by the shape of the part.
#pragma once

#include <cstdint>

#include "map/rank_map.hpp"

namespace plait::map {

/// Messages that the ranks of one node inside a large grid send to other nodes in one exchange of
/// faces, a rank a core (Stengel 2010, figures 3.2 and 3.3).
struct SubgridSurface {
  int cores = 1;
  Int3 block{};            ///< the box of `cores` subdomains with the least surface
  std::int64_t stick = 0;  ///< 1 x 1 x cores, as MPI_Cart_create gives them: 4 n + 2
  std::int64_t of_block = 0;
  double cube = 0;             ///< bound of every shape: 6 n^(2/3), reached by cubes
  std::int64_t scattered = 0;  ///< no neighbour on the same node, as ranks dealt in turn: 6 n
};

/// @param cores  >= 1
SubgridSurface subgrid_surface(int cores);

}  // namespace plait::map
