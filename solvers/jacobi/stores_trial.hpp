// SPDX-License-Identifier: BSD-3-Clause
// Which kind of stores is faster here, found by trying both where neither is so for certain.
#pragma once

#include "fields.hpp"
#include "options.hpp"
#include "plait/cartesian_grid.hpp"
#include "plait/jacobi_kernel.hpp"

namespace plait::jacobi {

/// Stores for the whole run. Where the fields take less than a quarter of the last cache, or the
/// run is too short to pay for it, what the kernel takes for good by their size; else some sweeps
/// of the own cells, of both kinds in turn, decide: machines differ. Overwrites own cells of next.
/// Collective.
/// @param automatic  the kernel made for Stores::automatic
Stores faster_stores(const CartesianGrid& grid, const Options& options,
                     const JacobiKernel& automatic, Fields& fields);

}  // namespace plait::jacobi
