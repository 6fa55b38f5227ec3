// SPDX-License-Identifier: BSD-3-Clause
// Maps ranks to subdomains and counts what an exchange sends between nodes.
#include "mapping/rank_map.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "plait/error.hpp"

namespace plait::mapping {
namespace {

std::size_t size_of(const Int3& dims) {
  return static_cast<std::size_t>(dims[0]) * static_cast<std::size_t>(dims[1]) *
         static_cast<std::size_t>(dims[2]);
}

RankCoordinates of_coordinates(std::vector<Int3> of_rank, const Int3& dims) {
  RankCoordinates map;
  map.rank_at.resize(of_rank.size());
  for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
    map.rank_at[linear_index(of_rank[rank], dims)] = static_cast<int>(rank);
  }
  map.of_rank = std::move(of_rank);
  return map;
}

}  // namespace

RankCoordinates row_major_map(const Int3& dims) {
  return subdomain_map(dims, dims);
}

RankCoordinates subdomain_map(const Int3& dims, const Int3& node_dims) {
  std::vector<Int3> order;
  order.reserve(size_of(dims));
  // Listing of subdomainMap in section 3.1.1: over the nodes, then over a node's subdomains.
  for (int n0 = 0; n0 < dims[0]; n0 += node_dims[0]) {
    for (int n1 = 0; n1 < dims[1]; n1 += node_dims[1]) {
      for (int n2 = 0; n2 < dims[2]; n2 += node_dims[2]) {
        for (int c0 = n0; c0 < std::min(n0 + node_dims[0], dims[0]); ++c0) {
          for (int c1 = n1; c1 < std::min(n1 + node_dims[1], dims[1]); ++c1) {
            for (int c2 = n2; c2 < std::min(n2 + node_dims[2], dims[2]); ++c2) {
              order.push_back({c0, c1, c2});
            }
          }
        }
      }
    }
  }
  return of_coordinates(std::move(order), dims);
}

bool wrap(Int3& coordinates, const Int3& dims, const std::array<bool, 3>& periodic) {
  for (std::size_t d = 0; d < 3; ++d) {
    int& c = coordinates[d];
    if (periodic[d]) c = (c % dims[d] + dims[d]) % dims[d];
    if (c < 0 || c >= dims[d]) return false;
  }
  return true;
}

int neighbor_rank(const RankCoordinates& map, const Int3& dims, const std::array<bool, 3>& periodic,
                  int rank, const Int3& offset) {
  Int3 c = map.of_rank[static_cast<std::size_t>(rank)];
  for (std::size_t d = 0; d < 3; ++d) c[d] += offset[d];
  return wrap(c, dims, periodic) ? map.rank_at[linear_index(c, dims)] : -1;
}

RankCoordinates node_blocked_map(const Int3& dims, const Int3& node_dims,
                                 std::span<const int> node_of_rank) {
  std::vector<int> ranks(node_of_rank.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = static_cast<int>(i);
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    return node_of_rank[static_cast<std::size_t>(a)] < node_of_rank[static_cast<std::size_t>(b)];
  });
  const RankCoordinates positions = subdomain_map(dims, node_dims);
  std::vector<Int3> of_rank(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    of_rank[static_cast<std::size_t>(ranks[i])] = positions.of_rank[i];
  }
  return of_coordinates(std::move(of_rank), dims);
}

RankCoordinates given_map(const std::vector<Int3>& of_rank, const Int3& dims) {
  RankCoordinates map = row_major_map(dims);
  if (of_rank.size() != map.of_rank.size()) {
    throw Error("coordinates of " + std::to_string(of_rank.size()) + " ranks",
                "the grid has " + std::to_string(map.of_rank.size()),
                "give the coordinates of each rank and the number of ranks along each axis");
  }
  map.of_rank = of_rank;
  std::fill(map.rank_at.begin(), map.rank_at.end(), -1);
  for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
    Int3 c = of_rank[rank];
    const std::string text = "coordinates " + std::to_string(c[0]) + "," + std::to_string(c[1]) +
                             "," + std::to_string(c[2]) + " of rank " + std::to_string(rank);
    if (!wrap(c, dims, {})) {
      throw Error(text, "outside the grid of ranks", "count from 0 along each axis");
    }
    int& at = map.rank_at[linear_index(c, dims)];
    if (at >= 0) {
      throw Error(text, "the same as those of rank " + std::to_string(at),
                  "give each rank its own coordinates");
    }
    at = static_cast<int>(rank);
  }
  return map;
}

CrossNode cross_node(const RankCoordinates& map, const Int3& dims, const Int3& cells,
                     const std::array<bool, 3>& periodic, std::span<const int> node_of_rank) {
  const auto node = [&](int rank) { return node_of_rank[static_cast<std::size_t>(rank)]; };
  CrossNode total;
  int nodes = 0;
  for (const int n : node_of_rank) nodes = std::max(nodes, n + 1);
  std::vector<std::int64_t> of_node(static_cast<std::size_t>(nodes), 0);

  // Each pair is visited once, from its lower end. Both ends send the same amount.
  for (int rank = 0; rank < static_cast<int>(map.of_rank.size()); ++rank) {
    const Int3& c = map.of_rank[static_cast<std::size_t>(rank)];
    for (std::size_t d = 0; d < 3; ++d) {
      Int3 offset{};
      offset[d] = 1;
      const int other = neighbor_rank(map, dims, periodic, rank, offset);
      if (other < 0 || node(other) == node(rank)) continue;
      std::int64_t face = 1;
      for (std::size_t e = 0; e < 3; ++e) {
        if (e != d) face *= part_of(cells[e], dims[e], c[e]).count;
      }
      total.cells += 2 * face;
      total.messages += 2;
      of_node[static_cast<std::size_t>(node(rank))] += 2 * face;
      of_node[static_cast<std::size_t>(node(other))] += 2 * face;
    }
  }
  if (nodes > 0) total.busiest_node = *std::max_element(of_node.begin(), of_node.end());
  return total;
}

Range part_of(int cells, int parts, int part) {
  const int base = cells / parts;
  const int larger = cells % parts;
  return {part * base + std::min(part, larger), base + (part < larger ? 1 : 0)};
}

}  // namespace plait::mapping
