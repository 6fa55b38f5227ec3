// SPDX-License-Identifier: BSD-3-Clause
// How the grid is cut: a Cartesian arrangement of ranks, each with a block of nearly equal size.
#pragma once

#include <mpi.h>

#include "grid.hpp"

namespace plait::jacobi {

/// One rank's place: its block and its neighbours.
struct Decomposition {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  Triple size{};    ///< interior points of the whole grid
  Triple ranks{};   ///< ranks along each axis
  Triple place{};   ///< this rank's coordinates
  Triple first{};   ///< global index (from 1) of the block's first point
  Triple points{};  ///< interior points of the block
  Triple lower{};   ///< neighbour towards smaller indices, or MPI_PROC_NULL
  Triple upper{};   ///< neighbour towards larger indices, or MPI_PROC_NULL
};

/// Cuts `n` points into `parts` blocks whose sizes differ by one at most.
/// @return first point (from 1) and number of points of block `part`
struct Range {
  int first;
  int points;
};
Range block_range(int n, int parts, int part);

/// Arranges the ranks of MPI_COMM_WORLD. Collective.
/// @param size   interior points along x, y, z
/// @param ranks  ranks along x, y, z; 0 where MPI_Dims_create shall choose
/// @throws std::invalid_argument when the product is not the number of ranks, or a block is empty
Decomposition decompose(const Triple& size, Triple ranks);

}  // namespace plait::jacobi
