// SPDX-License-Identifier: BSD-3-Clause
// A global grid of cells cut into one box per rank, with neighbours and a map of ranks to boxes.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "plait/box.hpp"
#include "plait/rank_map.hpp"

namespace plait {

/// A grid of cells[0] x cells[1] x cells[2] cells, distributed over the ranks of a communicator.
class CartesianGrid {
public:
  struct Options {
    Int3 ranks{0, 0, 0};             ///< ranks along each axis; 0: chosen by the library
    std::array<bool, 3> periodic{};  ///< whether each axis is periodic; otherwise it is open
    RankMap map = RankMap::automatic;
    /// For RankMap::given: the coordinates of each rank, as from SubdomainMap::coordinates().
    /// Requires `ranks`.
    std::vector<Int3> coordinates{};
  };

  /// Cuts the grid and assigns boxes to ranks. Collective over `comm`, which is duplicated. An axis
  /// with ranks[d] == 0 is cut so that the fewest bytes cross between nodes, then between ranks.
  /// Among equal choices x is cut last, because its faces are not contiguous.
  /// @param cells  global cells along x, y, z, each >= 1
  /// @throws CollectiveError if the ranks do not fit (wrong product, more ranks than cells along an
  ///         axis), the ranks request different grids, or the given coordinates are not a
  ///         permutation
  CartesianGrid(MPI_Comm comm, const Int3& cells, const Options& options);
  CartesianGrid(MPI_Comm comm, const Int3& cells) : CartesianGrid(comm, cells, Options{}) {}
  ~CartesianGrid();
  CartesianGrid(const CartesianGrid&) = delete;
  CartesianGrid& operator=(const CartesianGrid&) = delete;

  /// The communicator of the grid. Its ranks are those of neighbour() and rank_at().
  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] const Int3& cells() const { return cells_; }
  [[nodiscard]] const Int3& ranks() const { return ranks_; }
  [[nodiscard]] const std::array<bool, 3>& periodic() const { return periodic_; }
  /// The rank map in use; never RankMap::automatic.
  [[nodiscard]] RankMap map() const { return map_; }

  /// This rank's coordinates, 0 <= coordinates()[d] < ranks()[d].
  [[nodiscard]] const Int3& coordinates() const { return coordinates_[index(rank_)]; }
  [[nodiscard]] const Int3& coordinates_of(int rank) const { return coordinates_[index(rank)]; }
  /// The rank at some coordinates, which wrap around on periodic axes; MPI_PROC_NULL outside.
  /// Local.
  [[nodiscard]] int rank_at(const Int3& coordinates) const;
  /// The rank at an offset from this rank's coordinates; MPI_PROC_NULL if there is none. This is
  /// Stengel's neighborRank, extended to periodic axes. Local.
  [[nodiscard]] int neighbour(const Int3& offset) const;

  /// Own cells of this rank, in global indices. Boxes differ by at most one cell along each axis.
  [[nodiscard]] Box own() const { return own_of(rank_); }
  [[nodiscard]] Box own_of(int rank) const;
  /// Number of own cells along each axis.
  [[nodiscard]] Int3 own_cells() const;

  /// Node of each rank, numbered from 0 in order of their lowest rank.
  [[nodiscard]] const std::vector<int>& node_of_rank() const { return node_of_rank_; }
  /// Number of cells in the faces that one exchange of width 1 sends between nodes: by all ranks,
  /// and to and from the busiest node.
  [[nodiscard]] std::int64_t cross_node_cells() const { return cross_node_cells_; }
  [[nodiscard]] std::int64_t busiest_node_cells() const { return busiest_node_cells_; }
  /// One or two sentences on the decomposition: ranks, map, surface, cells sent between nodes.
  /// Local.
  [[nodiscard]] std::string report() const;

private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  Int3 cells_{};
  Int3 ranks_{};
  std::array<bool, 3> periodic_{};
  RankMap map_ = RankMap::row_major;
  std::vector<Int3> coordinates_;  ///< of each rank
  std::vector<int> rank_at_;       ///< by linear index of the coordinates
  std::vector<int> node_of_rank_;
  std::int64_t cross_node_cells_ = 0;
  std::int64_t busiest_node_cells_ = 0;
};

}  // namespace plait
