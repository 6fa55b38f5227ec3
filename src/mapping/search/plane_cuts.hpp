// SPDX-License-Identifier: BSD-3-Clause
// Promising blocks of a Cartesian grid, and its partition by recursive plane cuts.
#pragma once

#include <cstddef>
#include <vector>

#include "mapping/graph.hpp"

namespace plait::mapping {

/// Bytes across each axis: of a face, or for a full stencil of all messages that cross a unit of
/// it.
std::vector<double> axis_weights(const Cartesian& grid);

/// Extents of blocks, ordered by an estimate of what a part of `capacity` sends, least first.
/// @param most  return at most this many
std::vector<std::vector<int>> promising_blocks(const Cartesian& grid, double capacity,
                                               std::size_t most);

/// How to pick the axis along which a box is cut in two.
enum class CutAxis {
  longest,     ///< the longest axis in terms of bytes: k-d tree
  least_sent,  ///< axis and number of parts on each side for the least traffic: hyperplanes
};

/// Recursive cuts by planes. A cut runs between the processes of one plane if the capacities
/// require it (von Kirchbach et al. 2020, hyperplane and k-d tree, with exact capacities).
/// @param size  of each part; the sum is the size of the grid
std::vector<int> plane_cuts(const Cartesian& grid, const std::vector<int>& size, CutAxis axis);

}  // namespace plait::mapping
