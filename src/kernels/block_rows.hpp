// SPDX-License-Identifier: BSD-3-Clause
// Chooses the number of rows in a block of the Jacobi update by the layer condition.
#pragma once

#include "plait/box.hpp"

namespace plait::detail {

/// Rows of a block along y, from 1 to own[1], by the layer condition (Stengel 2010, section 1.3):
/// an old value is loaded once if all layers of a block that are in use stay in cache.
/// @param threads        that share the last-level cache share of the rank
/// @param ranks_on_node  that share the last-level caches of the node
/// @param streaming      true: the kernel prefetches old values itself, and blocks are made for the
///                       second-level cache. False: the hardware prefetches, and short runs of rows
///                       would disturb it, so nothing is blocked while the layers fit the last
///                       level.
int block_rows(const Int3& own, int threads, int ranks_on_node, bool streaming);

}  // namespace plait::detail
