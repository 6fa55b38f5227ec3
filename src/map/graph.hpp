// SPDX-License-Identifier: BSD-3-Clause
// Who sends how much to whom in one exchange: what a mapping is chosen for.
#pragma once

#include <cstdint>
#include <vector>

namespace plait::map {

/// Processes and what they send each other in one exchange, in compressed rows. The pattern is
/// symmetric (where v has u, u has v, perhaps with 0 bytes); no process has itself.
struct Graph {
  std::vector<std::int64_t> first{0};  ///< size() + 1 offsets into `to`
  std::vector<int> to;                 ///< neighbours of each process, ascending
  std::vector<double> bytes;           ///< what the process sends to that neighbour
  std::vector<double> messages;        ///< in how many messages; empty: 1 each

  [[nodiscard]] int size() const { return static_cast<int>(first.size()) - 1; }
};

/// Which neighbours a process of a Cartesian grid has.
enum class Stencil {
  faces,  ///< 2 an axis
  full,   ///< faces, edges and corners: 3^d - 1
};

/// A Cartesian grid of any number of axes; process = row-major index, last axis fastest, as
/// MPI_Cart_create without reordering has it.
struct Cartesian {
  std::vector<int> dims;
  std::vector<bool> periodic;  ///< as long as dims
  /// Stencil::faces: bytes of a face across each axis (as long as dims). Stencil::full: bytes by
  /// the number of axes along which the neighbour lies off (face, edge, corner ...). Empty: 1 each.
  std::vector<double> bytes;
  Stencil stencil = Stencil::faces;
  /// Of several faces, edges or corners between the same two processes (a periodic axis of 2) only
  /// one counts, as papers on partitioning count pairs.
  bool pairs_once = false;

  /// @throws Error as graph_of() does
  [[nodiscard]] int size() const;
};

/// The graph of a grid. A periodic axis of 2 has one neighbour there, with both faces' bytes in as
/// many messages (unless pairs_once); one of 1 has none.
/// @throws Error when lengths differ, a dimension is < 1 or the product does not fit into an int.
Graph graph_of(const Cartesian& grid);

/// The graph of a matrix of bytes (row: sender), made symmetric in pattern. @param size  of a row
Graph graph_of(const std::vector<double>& bytes, int size);

}  // namespace plait::map
