// SPDX-License-Identifier: BSD-3-Clause
// Which rank gets which subdomain of a Cartesian grid, and how many ranks each axis gets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plait::map {

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

/// Rank = c[2] + dims[2] * (c[1] + dims[1] * c[0]), as MPI_Cart_create without reordering.
RankCoordinates row_major_map(const Int3& dims);

/// Stengel's subdomainMap (2010, section 3.1.1): ranks in order fill blocks of node_dims
/// subdomains, blocks cut off at the grid's ends.
RankCoordinates subdomain_map(const Int3& dims, const Int3& node_dims);

/// Wraps coordinates around on periodic axes; false when they lie outside an open one.
bool wrap(Int3& coordinates, const Int3& dims, const std::array<bool, 3>& periodic);

/// Stengel's neighborRank with periodic axes: -1 where an open axis ends.
int neighbor_rank(const RankCoordinates& map, const Int3& dims, const std::array<bool, 3>& periodic,
                  int rank, const Int3& offset);

/// The node-blocked map for ranks that lie on nodes in any order and number: the positions of
/// subdomain_map(dims, node_dims) are dealt to the ranks node by node.
/// @param node_of_rank  node of each rank, 0..
RankCoordinates node_blocked_map(const Int3& dims, const Int3& node_dims,
                                 std::span<const int> node_of_rank);

/// The map with these coordinates.
/// @throws Error unless they are those of each of so many ranks, once.
RankCoordinates given_map(const std::vector<Int3>& of_rank, const Int3& dims);

/// What an exchange of width 1 (faces only) sends between nodes, in cells.
struct CrossNode {
  std::int64_t cells = 0;         ///< over all ranks
  std::int64_t busiest_node = 0;  ///< sent and received by the busiest node
  std::int64_t messages = 0;      ///< over all ranks
};
CrossNode cross_node(const RankCoordinates& map, const Int3& dims, const Int3& cells,
                     const std::array<bool, 3>& periodic, std::span<const int> node_of_rank);

/// First cell and number of cells of part `part` of `parts`: sizes differ by one at most, larger
/// ones first.
struct Range {
  int first;
  int count;
};
Range part_of(int cells, int parts, int part);

/// Ranks along each axis, and the block of a node.
struct Decomposition {
  Int3 dims{};
  Int3 node_dims{};  ///< block of a node for node_blocked_map
};

/// Boxes whose surface, over all ranks, is more than this many times the least are not chosen: what
/// they spare between nodes they cost inside them.
constexpr double most_surface = 2;

/// Which maps choose_decomposition() looks at.
enum class Blocks {
  of_nodes,   ///< node_blocked_map, with any block
  row_major,  ///< row_major_map only; node_dims is then dims
};

/// Ranks along each axis (where fixed[d] == 0) and the block of a node that send the fewest cells
/// between nodes, then between ranks, within most_surface; among equals x is cut last. All blocks
/// are tried where they are few; among many, those that hold a node's ranks, the most promising of
/// them counted exactly.
/// @param node_of_rank  node of each rank, 0..
/// @throws Error when no arrangement fits (product, or more ranks than cells on an axis), naming
///         the numbers.
Decomposition choose_decomposition(const Int3& cells, const std::array<bool, 3>& periodic,
                                   const Int3& fixed, std::span<const int> node_of_rank,
                                   Blocks blocks = Blocks::of_nodes);

}  // namespace plait::map
