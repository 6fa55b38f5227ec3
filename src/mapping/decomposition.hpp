// SPDX-License-Identifier: BSD-3-Clause
// Chooses the ranks along each axis of a grid and the block of a node, for few cells between nodes.
#pragma once

#include <array>
#include <span>

#include "mapping/rank_map.hpp"

namespace plait::mapping {

/// The number of ranks along each axis, and the block of a node.
struct Decomposition {
  Int3 dims{};
  Int3 node_dims{};  ///< block of a node for node_blocked_map
};

/// Boxes with more than this many times the least surface over all ranks are not chosen: they cost
/// more inside nodes than they save between them.
constexpr double most_surface = 2;

/// The maps that choose_decomposition() considers.
enum class Blocks {
  of_nodes,   ///< node_blocked_map, with any block
  row_major,  ///< row_major_map only; node_dims is then dims
};

/// Chooses the number of ranks along each axis (if fixed[d] == 0) and the block of a node that send
/// the fewest cells between nodes, then between ranks, within most_surface. Among equals x is cut
/// last. Tries all blocks if they are few; otherwise only those that hold the ranks of a node, and
/// counts the most promising of them exactly.
/// @param node_of_rank  node of each rank, 0..
/// @throws Error that names the numbers when no arrangement fits (product, or more ranks than cells
///         on an axis).
Decomposition choose_decomposition(const Int3& cells, const std::array<bool, 3>& periodic,
                                   const Int3& fixed, std::span<const int> node_of_rank,
                                   Blocks blocks = Blocks::of_nodes);

}  // namespace plait::mapping
