// SPDX-License-Identifier: BSD-3-Clause
// How a grid is cut up for nodes and for the ranks of a node, and what each node then exchanges
// with others: Stengel's table 2.1 by rule.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace plait::model {

/// Along x (contiguous in memory), y, z.
using Extents = std::array<int, 3>;

/// Parts along each axis for `nodes` nodes. The rule: the prime factors of `nodes`, largest first,
/// each cut the axis along which the parts are longest so far, x before y before z among equals.
/// It gives all rows of Stengel 2010, table 2.1 (3 x 4 x 2 for 24 nodes, where MPI_Dims_create
/// gives 4 x 3 x 2).
/// @param cells  of the grid; all equal for weak scaling, where every node has the same cells
/// @throws Error when nodes < 1, cells < 1, or an axis would get more parts than cells.
Extents parts_for_nodes(int nodes, const Extents& cells);

/// The ranks of one node: the same rule, y before z before x among equals (Stengel 2010, section
/// 2.1.3 cuts a node's cube for two ranks along y), since the rows of x are contiguous.
/// @throws Error as parts_for_nodes.
Extents parts_for_ranks(int ranks, const Extents& cells);

/// That parts (each >= 1) fit a grid. `number` and `what` ("nodes") are for the message.
/// @throws Error when an axis has more parts than cells.
void check_cut(int number, const std::string& what, const Extents& cells, const Extents& parts);

/// What the node with the most neighbours exchanges with other nodes in one halo exchange of width
/// 1 over faces (open boundaries): Stengel 2010, table 2.1.
struct NodeExchange {
  int max_neighbours = 0;
  /// Latencies that follow each other: both directions of an axis are one, and each rank beside a
  /// face has its own.
  int communications = 0;
  int messages = 0;                        ///< sent to other nodes
  std::int64_t face_cells = 0;             ///< sent to other nodes
  std::int64_t largest_message_cells = 0;  ///< of those; 0 without any
  int inner_messages = 0;                  ///< sent by the busiest rank within the node
  std::int64_t inner_cells = 0;            ///< in those
};

/// @param parts  nodes along each axis
/// @param cells  of one node, the largest where they differ
/// @param ranks  of a node, along each axis
NodeExchange node_exchange(const Extents& parts, const Extents& cells, const Extents& ranks);

}  // namespace plait::model
