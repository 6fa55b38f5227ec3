// SPDX-License-Identifier: BSD-3-Clause
// The maps of ranks to boxes of a grid, and Stengel's map on its own.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "plait/box.hpp"

namespace plait {

/// Which rank gets which box of the grid.
enum class RankMap {
  automatic,     ///< the one of row_major, node_blocked, mpi and portfolio that sends the fewest
                 ///< bytes between nodes
  row_major,     ///< ranks in the order of coordinates, last axis fastest, as by MPI_Cart_create
                 ///< without reordering
  mpi,           ///< the result of MPI_Cart_create with reorder = 1
  node_blocked,  ///< a compact block of boxes for each node (Stengel 2010, section 3.1.1)
  portfolio,     ///< the best of several methods, improved by swaps; also for uneven nodes and for
                 ///< grids that no block divides (docs/explanation/mapping.md)
  given,         ///< coordinates of each rank, given by the program
};

/// The name: "automatic", "row_major", "mpi", "node_blocked", "portfolio" or "given".
std::string to_string(RankMap map);

/// Stengel's subdomainMap and neighborRank (2010, section 3.1.1), extended to periodic axes. Ranks
/// in order fill one block of boxes after the other, so that consecutive ranks, and thus nodes, get
/// compact parts of the grid. Local; needs no MPI. Pass coordinates() to a CartesianGrid.
class SubdomainMap {
public:
  /// @param dims       ranks along each axis; the last axis runs fastest
  /// @param node_dims  ranks of a node's block along each axis; blocks are cut off at the end of
  ///                   the grid
  /// @param periodic   whether each axis is periodic; otherwise it is open
  /// @throws Error if a number is < 1 or there are more ranks than an int can represent
  SubdomainMap(const Int3& dims, const Int3& node_dims, const std::array<bool, 3>& periodic = {});

  [[nodiscard]] const Int3& dims() const { return dims_; }
  [[nodiscard]] const std::array<bool, 3>& periodic() const { return periodic_; }
  [[nodiscard]] int size() const { return static_cast<int>(coordinates_.size()); }

  /// The coordinates of each rank (Stengel's rankCoord).
  [[nodiscard]] const std::vector<Int3>& coordinates() const { return coordinates_; }
  /// @throws std::out_of_range if there is no such rank
  [[nodiscard]] const Int3& coordinates_of(int rank) const;
  /// The rank at some coordinates (Stengel's coordRank), which wrap around on periodic axes;
  /// MPI_PROC_NULL outside.
  [[nodiscard]] int rank_at(const Int3& coordinates) const;
  /// The rank at an offset from a rank's coordinates; MPI_PROC_NULL beyond an open axis.
  /// @throws std::out_of_range if there is no such rank
  [[nodiscard]] int neighbor_rank(int rank, const Int3& offset) const;

private:
  Int3 dims_{};
  std::array<bool, 3> periodic_{};
  std::vector<Int3> coordinates_;
  std::vector<int> rank_at_;  ///< by linear index of the coordinates
};

}  // namespace plait
