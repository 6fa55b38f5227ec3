// SPDX-License-Identifier: BSD-3-Clause
// Orders of the processes of a Cartesian grid: by blocks, and along the Hilbert curve.
#pragma once

#include <vector>

namespace plait::mapping {

/// Stengel's subdomainMap (2010, section 3.1.1) for any number of axes: processes in the order in
/// which blocks are visited one after the other. Blocks are cut off at the ends of the grid.
/// @param snake  each row of blocks, and of processes in a block, starts where the last one ended,
///               so that neighbours in the order are neighbours in the grid
std::vector<int> block_order(const std::vector<int>& dims, const std::vector<int>& block,
                             bool snake);

/// The order along the Hilbert curve (Skilling 2004); empty if the grid has too many axes for it.
std::vector<int> hilbert_order(const std::vector<int>& dims);

}  // namespace plait::mapping
