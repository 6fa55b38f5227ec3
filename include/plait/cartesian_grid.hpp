// SPDX-License-Identifier: BSD-3-Clause
// A global grid of cells cut into boxes, one a rank, with neighbours and a map of ranks to boxes.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "plait/box.hpp"
#include "plait/rank_map.hpp"

namespace plait {

/// A decomposition of cells[0] x cells[1] x cells[2] cells.
class CartesianGrid {
public:
  struct Options {
    Int3 ranks{0, 0, 0};             ///< ranks along each axis; 0: choose
    std::array<bool, 3> periodic{};  ///< whether an axis closes on itself; else it is open
    RankMap map = RankMap::automatic;
    /// For RankMap::given: coordinates of each rank, as SubdomainMap::coordinates() has them; needs
    /// `ranks`.
    std::vector<Int3> coordinates{};
  };

  /// Collective over `comm`, which is duplicated. An axis with ranks[d] == 0 is cut so that the
  /// fewest bytes cross between nodes, then between ranks; x, whose faces are not contiguous, is
  /// cut last among equals.
  /// @param cells  global cells along x, y, z, each >= 1
  /// @throws CollectiveError when the ranks do not fit (product, more ranks than cells on an axis),
  ///         or given coordinates are not those of each rank once
  CartesianGrid(MPI_Comm comm, const Int3& cells, const Options& options);
  CartesianGrid(MPI_Comm comm, const Int3& cells) : CartesianGrid(comm, cells, Options{}) {}
  ~CartesianGrid();
  CartesianGrid(const CartesianGrid&) = delete;
  CartesianGrid& operator=(const CartesianGrid&) = delete;

  /// The grid's own communicator. Its ranks are those of neighbour() and rank_at().
  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] const Int3& cells() const { return cells_; }
  [[nodiscard]] const Int3& ranks() const { return ranks_; }
  [[nodiscard]] const std::array<bool, 3>& periodic() const { return periodic_; }
  /// The map that was used; never RankMap::automatic.
  [[nodiscard]] RankMap map() const { return map_; }

  /// This rank's coordinates among ranks().
  [[nodiscard]] const Int3& coordinates() const { return coordinates_[index(rank_)]; }
  [[nodiscard]] const Int3& coordinates_of(int rank) const { return coordinates_[index(rank)]; }
  /// The rank at some coordinates, which wrap around on periodic axes; MPI_PROC_NULL outside.
  [[nodiscard]] int rank_at(const Int3& coordinates) const;
  /// The neighbour at an offset of coordinates (each -1, 0 or 1, or further); MPI_PROC_NULL when
  /// there is none. Stengel's neighborRank, with periodic axes.
  [[nodiscard]] int neighbour(const Int3& offset) const;

  /// Own cells of this rank, in global indices. Boxes of an axis differ by one cell at most.
  [[nodiscard]] Box own() const { return own_of(rank_); }
  [[nodiscard]] Box own_of(int rank) const;
  /// Number of own cells along each axis.
  [[nodiscard]] Int3 own_cells() const;

  /// Node of each rank, numbered from 0 in order of their lowest rank.
  [[nodiscard]] const std::vector<int>& node_of_rank() const { return node_of_rank_; }
  /// Cells in the faces that one exchange of width 1 sends between nodes, over all ranks; and over
  /// the busiest node.
  [[nodiscard]] std::int64_t cross_node_cells() const { return cross_node_cells_; }
  [[nodiscard]] std::int64_t busiest_node_cells() const { return busiest_node_cells_; }
  /// A sentence or two on the decomposition: ranks, map, surface, cells between nodes. Local.
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
  std::vector<int> rank_at_;       ///< rank at each linear coordinate
  std::vector<int> node_of_rank_;
  std::int64_t cross_node_cells_ = 0;
  std::int64_t busiest_node_cells_ = 0;
};

}  // namespace plait
