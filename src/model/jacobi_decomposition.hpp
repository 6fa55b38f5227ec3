// SPDX-License-Identifier: BSD-3-Clause
// Divides a grid among nodes and among the ranks of a node, and counts what each node exchanges:
// the rule behind Stengel's table 2.1.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace plait::model {

/// Extents along x (contiguous in memory), y and z.
using Extents = std::array<int, 3>;

/// Parts along each axis for `nodes` nodes. Each prime factor of `nodes`, largest first, cuts the
/// axis along which the parts are currently longest; among equals x comes first, then y. This gives
/// all rows of Stengel 2010, table 2.1 (3 x 4 x 2 for 24 nodes, where MPI_Dims_create gives 4 x 3 x
/// 2).
/// @param cells  of the grid; all equal for weak scaling, in which every node has the same cells
/// @throws Error when nodes < 1, cells < 1, or an axis would get more parts than cells.
Extents parts_for_nodes(int nodes, const Extents& cells);

/// Parts along each axis for the ranks of one node. The rule is the same, but among equals y comes
/// first, then z, because rows along x are contiguous (Stengel 2010, section 2.1.3 cuts the cube of
/// a node along y for two ranks).
/// @throws Error as parts_for_nodes.
Extents parts_for_ranks(int ranks, const Extents& cells);

/// Checks that a grid can be cut into `parts` (each >= 1).
/// @param number, what  "24" and "nodes": what the parts are for, for the message
/// @throws Error when an axis has more parts than cells.
void check_cut(int number, const std::string& what, const Extents& cells, const Extents& parts);

/// The messages of the node with the most neighbours in one halo exchange of width 1 over faces,
/// with open boundaries (Stengel 2010, table 2.1).
struct NodeExchange {
  int max_neighbours = 0;
  /// Latencies in sequence: both directions of an axis count once, and each rank next to a face
  /// counts separately.
  int communications = 0;
  int messages = 0;                        ///< sent to other nodes
  std::int64_t face_cells = 0;             ///< sent to other nodes
  std::int64_t largest_message_cells = 0;  ///< 0 without messages to other nodes
  int inner_messages = 0;                  ///< sent by the busiest rank within the node
  std::int64_t inner_cells = 0;            ///< in those
};

/// Counts the messages of one halo exchange.
/// @param parts  nodes along each axis
/// @param cells  of one node; the largest number if they differ
/// @param ranks  of a node, along each axis
NodeExchange node_exchange(const Extents& parts, const Extents& cells, const Extents& ranks);

}  // namespace plait::model
