// SPDX-License-Identifier: BSD-3-Clause
// A Jacobi sweep over a rank's block: blocked for the cache, stores as its size asks for.
#pragma once

#include <cstddef>

#include "grid.hpp"
#include "row_kernel.hpp"

namespace plait::jacobi {

/// Sizes of the caches that a rank computes in, in bytes.
struct CacheShare {
  std::size_t private_bytes;  ///< the core's own second-level cache
  std::size_t last_bytes;     ///< the rank's part of the last level
};

/// Reads the caches of the first CPU from the kernel; plausible sizes where it does not tell.
/// @param ranks_on_node  ranks that share the node's last-level cache with this one
CacheShare cache_share(int ranks_on_node);

/// How a block is swept.
struct SweepPlan {
  bool streaming;  ///< stores bypass the caches
  int rows;        ///< rows of a block along y
  RowKernel kernel;
};

/// Whether both grids together outgrow the rank's part of the last-level cache: only then can
/// streaming stores pay.
bool outgrows_caches(const Grid& grid, const CacheShare& caches);

/// Chooses the block so that three planes of it stay in the private cache (the layer condition,
/// Stengel 2010).
SweepPlan plan_sweep(const Grid& grid, const CacheShare& caches, bool streaming);

/// new_grid's interior = mean of old_grid's six neighbours.
void sweep(Grid& new_grid, const Grid& old_grid, const SweepPlan& plan);

/// Largest |a - b| over the interior.
double largest_difference(const Grid& a, const Grid& b);

}  // namespace plait::jacobi
