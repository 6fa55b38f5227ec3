// SPDX-License-Identifier: BSD-3-Clause
// The copies of a chunk of a transpose between arrays, message buffers and the window. Does not use
// MPI.
#pragma once

#include <vector>

#include "solve/transpose/plan.hpp"
#include "solve/transpose/strided_copy.hpp"

namespace plait::solve {

/// The addresses that copies use, in this order: source arrays, destination arrays, then these.
struct MemoryIndex {
  int fields = 1;
  [[nodiscard]] int from(int field) const { return field; }
  [[nodiscard]] int to(int field) const { return fields + field; }
  [[nodiscard]] int send_buffer() const { return 2 * fields; }
  [[nodiscard]] int receive_buffer() const { return 2 * fields + 1; }
  /// A source array of a rank in the window.
  [[nodiscard]] int shared(int rank, int field) const {
    return 2 * fields + 2 + rank * fields + field;
  }
  [[nodiscard]] std::size_t count(int ranks) const {
    return static_cast<std::size_t>(fields) * static_cast<std::size_t>(ranks + 2) + 2;
  }
};

/// How a rank's elements get to another rank or to itself.
enum class Route { own, packed, datatypes, shared };

/// The copies of one chunk or of the whole.
struct TransposeCopies {
  StridedCopies pack;    ///< from the sources to the send buffer
  StridedCopies share;   ///< from the sources to the window, unless they are there
  StridedCopies own;     ///< from the sources to the destinations
  StridedCopies unpack;  ///< from the receive buffer or the window to the destinations; zeros
};

/// What copies need to know of this rank.
struct CopyPlan {
  int rank = 0;
  std::vector<Route> route;           ///< to each rank, and from it
  Long3 from_strides{};               ///< of this rank's arrays, in elements
  Long3 to_strides{};                 ///< likewise
  std::vector<Long3> shared_strides;  ///< of each rank's source arrays in the window
};

/// @param send_offset, receive_offset  of each rank's message in the buffers, in elements
TransposeCopies transpose_copies(const TransposeGeometry& geometry, const CopyPlan& plan, int chunk,
                                 const std::vector<std::int64_t>& send_offset,
                                 const std::vector<std::int64_t>& receive_offset);

}  // namespace plait::solve
