// SPDX-License-Identifier: BSD-3-Clause
// How many rows a block of the Jacobi update has, by the layer condition.
#pragma once

#include "plait/box.hpp"

namespace plait::detail {

/// Rows of a block along y, from 1 to own[1], by the layer condition (Stengel 2010, section 1.3):
/// an old value is loaded once if all layers of a block that are in use stay in cache.
/// @param streaming  the kernel then prefetches old values itself, and it is the second-level cache
///                   that is blocked for. Else the hardware prefetches, which shorter runs of rows
///                   would break: no block while the layers fit the last level.
int block_rows(const Int3& own, int threads, int ranks_on_node, bool streaming);

}  // namespace plait::detail
