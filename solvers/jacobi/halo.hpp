// SPDX-License-Identifier: BSD-3-Clause
// Exchange of a block's six faces with its neighbours.
#pragma once

#include <array>
#include <vector>

#include "decomposition.hpp"
#include "grid.hpp"

namespace plait::jacobi {

/// Fills the ghost layers of a block from its neighbours' faces. The 6-point stencil reads no
/// edges and corners, so that the three axes are exchanged at once.
class Halo {
public:
  /// Allocates the buffers. Local.
  explicit Halo(const Decomposition& decomposition);

  /// Sends the faces and receives the ghosts. Collective over neighbours; allocates nothing.
  void exchange(Grid& grid);

  /// Bytes that this rank sends in one exchange.
  [[nodiscard]] std::size_t bytes_sent() const;

private:
  struct Face {
    std::size_t axis;
    bool upper;
    int neighbour;
    std::vector<double> out;
    std::vector<double> in;
  };
  std::vector<Face> faces_;
  MPI_Comm comm_;
};

}  // namespace plait::jacobi
