// SPDX-License-Identifier: BSD-3-Clause
// Maps of ranks to the subdomains of a Cartesian grid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plait::mapping {

using Int3 = std::array<int, 3>;

/// A bijection of ranks and coordinates.
struct RankCoordinates {
  std::vector<Int3> of_rank;  ///< coordinates of each rank
  std::vector<int> rank_at;   ///< rank at the coordinates with that linear_index()
};

/// Index of coordinates in RankCoordinates::rank_at (Stengel's cidx).
constexpr std::size_t linear_index(const Int3& c, const Int3& dims) {
  return static_cast<std::size_t>(c[2] +
                                  std::int64_t{dims[2]} * (c[1] + std::int64_t{dims[1]} * c[0]));
}

/// Rank = c[2] + dims[2] * (c[1] + dims[1] * c[0]), as by MPI_Cart_create without reordering.
RankCoordinates row_major_map(const Int3& dims);

/// Stengel's subdomainMap (2010, section 3.1.1): ranks in order fill blocks of node_dims
/// subdomains, blocks are cut off at the ends of the grid.
RankCoordinates subdomain_map(const Int3& dims, const Int3& node_dims);

/// Wraps coordinates around on periodic axes; false when they are outside an open axis.
bool wrap(Int3& coordinates, const Int3& dims, const std::array<bool, 3>& periodic);

/// Stengel's neighborRank with periodic axes: -1 where an open axis ends.
int neighbor_rank(const RankCoordinates& map, const Int3& dims, const std::array<bool, 3>& periodic,
                  int rank, const Int3& offset);

/// The node-blocked map for ranks on nodes in any order and number: the positions of
/// subdomain_map(dims, node_dims) are dealt to the ranks node by node.
/// @param node_of_rank  node of each rank, 0..
RankCoordinates node_blocked_map(const Int3& dims, const Int3& node_dims,
                                 std::span<const int> node_of_rank);

/// The map with these coordinates.
/// @throws Error unless each position of the grid occurs exactly once.
RankCoordinates given_map(const std::vector<Int3>& of_rank, const Int3& dims);

/// The traffic of an exchange of width 1 (faces only) between nodes.
struct CrossNode {
  std::int64_t cells = 0;         ///< over all ranks
  std::int64_t busiest_node = 0;  ///< sent and received by the busiest node
  std::int64_t messages = 0;      ///< over all ranks
};
CrossNode cross_node(const RankCoordinates& map, const Int3& dims, const Int3& cells,
                     const std::array<bool, 3>& periodic, std::span<const int> node_of_rank);

/// First cell and number of cells of part `part` of `parts`. Sizes differ by at most one; the
/// larger parts come first.
struct Range {
  int first;
  int count;
};
Range part_of(int cells, int parts, int part);

}  // namespace plait::mapping
