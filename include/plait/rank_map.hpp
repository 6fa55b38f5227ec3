// SPDX-License-Identifier: BSD-3-Clause
// Which rank gets which box of a grid: the maps to choose from, and Stengel's map by itself.
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
  row_major,     ///< rank = coordinates with the last axis running fastest, as MPI_Cart_create
                 ///< without reordering
  mpi,           ///< what MPI_Cart_create makes of reorder = 1
  node_blocked,  ///< a compact block of boxes for each node (Stengel 2010, section 3.1.1)
  portfolio,     ///< the best of several methods, improved by swaps: also for nodes that are not
                 ///< alike and for grids that no block divides (docs/mapping.md)
  given,         ///< the coordinates that the program gives for each rank
};

/// "automatic", "row_major", "mpi", "node_blocked", "portfolio", "given".
std::string to_string(RankMap map);

/// Stengel's subdomainMap and neighborRank (2010, section 3.1.1), with periodic axes: ranks in
/// order fill one block of boxes after the other, so that consecutive ranks, and with them nodes,
/// have compact parts of the grid. Local; needs no MPI. A CartesianGrid takes its coordinates().
class SubdomainMap {
public:
  /// @param dims       ranks along each axis; the last axis runs fastest
  /// @param node_dims  the block of a node, ranks along each axis; blocks are cut off where the
  ///                   grid ends
  /// @param periodic   whether an axis closes on itself; else it is open
  /// @throws Error when a number is < 1 or there are more ranks than an int holds.
  SubdomainMap(const Int3& dims, const Int3& node_dims, const std::array<bool, 3>& periodic = {});

  [[nodiscard]] const Int3& dims() const { return dims_; }
  [[nodiscard]] const std::array<bool, 3>& periodic() const { return periodic_; }
  [[nodiscard]] int size() const { return static_cast<int>(coordinates_.size()); }

  /// Coordinates of each rank (Stengel's rankCoord).
  [[nodiscard]] const std::vector<Int3>& coordinates() const { return coordinates_; }
  /// @throws std::out_of_range when there is no such rank.
  [[nodiscard]] const Int3& coordinates_of(int rank) const;
  /// The rank at some coordinates (Stengel's coordRank), which wrap around on periodic axes;
  /// MPI_PROC_NULL outside.
  [[nodiscard]] int rank_at(const Int3& coordinates) const;
  /// The neighbour of a rank at an offset of coordinates; MPI_PROC_NULL where an open axis ends.
  /// @throws std::out_of_range when there is no such rank.
  [[nodiscard]] int neighbor_rank(int rank, const Int3& offset) const;

private:
  Int3 dims_{};
  std::array<bool, 3> periodic_{};
  std::vector<Int3> coordinates_;
  std::vector<int> rank_at_;  ///< at each linear coordinate
};

}  // namespace plait
