// SPDX-License-Identifier: BSD-3-Clause
// The communication graph of one exchange: which process sends how much to which.
#pragma once

#include <cstdint>
#include <vector>

namespace plait::mapping {

/// Processes and what they send to each other in one exchange, in compressed rows. The pattern is
/// symmetric: if u is a neighbour of v, v is a neighbour of u, perhaps with 0 bytes. No process is
/// its own neighbour.
struct Graph {
  std::vector<std::int64_t> first{0};  ///< size() + 1 offsets into `to`
  std::vector<int> to;                 ///< neighbours of each process, ascending
  std::vector<double> bytes;           ///< sent to that neighbour
  std::vector<double> messages;        ///< number of messages; empty: 1 each

  [[nodiscard]] int size() const { return static_cast<int>(first.size()) - 1; }
};

/// The neighbours of a process in a Cartesian grid.
enum class Stencil {
  faces,  ///< 2 per axis
  full,   ///< faces, edges and corners: 3^d - 1
};

/// A Cartesian grid with any number of axes. Processes are numbered in row-major order, the last
/// axis fastest, as by MPI_Cart_create without reordering.
struct Cartesian {
  std::vector<int> dims;
  std::vector<bool> periodic;  ///< as long as dims
  /// Stencil::faces: bytes of a face across each axis (as long as dims). Stencil::full: bytes by
  /// the number of axes in which the neighbour differs (face, edge, corner ...). Empty: 1 each.
  std::vector<double> bytes;
  Stencil stencil = Stencil::faces;
  /// Count only one of several faces, edges or corners between the same two processes (a periodic
  /// axis of 2), as papers on partitioning count pairs.
  bool pairs_once = false;

  /// @throws Error like graph_of()
  [[nodiscard]] int size() const;
};

/// The graph of a grid. A periodic axis of 2 gives one neighbour with the bytes of both faces in
/// two messages (unless pairs_once); a periodic axis of 1 gives none.
/// @throws Error when lengths differ, a dimension is < 1 or the product does not fit into an int.
Graph graph_of(const Cartesian& grid);

/// The graph of a matrix of bytes (row: sender), made symmetric in pattern. @param size  of a row
Graph graph_of(const std::vector<double>& bytes, int size);

}  // namespace plait::mapping
