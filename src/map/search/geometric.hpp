// SPDX-License-Identifier: BSD-3-Clause
// Partitions of a Cartesian grid made from its geometry alone.
#pragma once

#include <cstdint>
#include <vector>

#include "map/graph.hpp"

namespace plait::map {

/// Bytes across each axis: of a face, or for a full stencil of all that cross a unit of it.
std::vector<double> axis_weights(const Cartesian& grid);

/// Extents of blocks, those first that an estimate says send least for a part of `capacity`.
/// @param most  how many
std::vector<std::vector<int>> promising_blocks(const Cartesian& grid, double capacity,
                                               std::size_t most);

/// Stengel's subdomainMap (2010, section 3.1.1) for any number of axes: processes in the order in
/// which blocks are visited one after the other, blocks cut off at the grid's ends.
/// @param snake  each row of blocks, and of processes in a block, is walked back where the last
///               one ended, so that what follows in the order is next to it in the grid
std::vector<int> block_order(const std::vector<int>& dims, const std::vector<int>& block,
                             bool snake);

/// The order of Hilbert's curve (Skilling 2004); empty where the grid has too many axes for it.
std::vector<int> hilbert_order(const std::vector<int>& dims);

/// How axes are picked where a box is cut in two.
enum class CutAxis {
  longest,     ///< the longest axis in terms of bytes: k-d tree
  least_sent,  ///< axis and number of parts a side where least crosses: hyperplanes
};

/// Recursive cuts by planes, those between whole processes of a plane where capacities ask for it
/// (von Kirchbach et al. 2020, hyperplane and k-d tree, with exact capacities).
/// @param size  of each part, together the grid's
std::vector<int> plane_cuts(const Cartesian& grid, const std::vector<int>& size, CutAxis axis);

}  // namespace plait::map
