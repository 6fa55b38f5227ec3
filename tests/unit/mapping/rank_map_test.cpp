// SPDX-License-Identifier: BSD-3-Clause
// Tests of maps of ranks to subdomains: Stengel's figure 3.2, and properties of every map.
#include "mapping/rank_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "random.hpp"

namespace plait::mapping {
namespace {

using test::Random;

int ranks_of(const Int3& dims) {
  return dims[0] * dims[1] * dims[2];
}

/// Nodes of `per_node` ranks each, ranks in order.
std::vector<int> nodes_of(int ranks, int per_node) {
  std::vector<int> nodes(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) nodes[static_cast<std::size_t>(rank)] = rank / per_node;
  return nodes;
}

/// Any number of nodes of any size, ranks in any order.
std::vector<int> random_nodes(Random& random, int ranks) {
  std::vector<int> nodes(static_cast<std::size_t>(ranks));
  const int count = random.in(1, std::max(1, ranks / 2));
  for (int& node : nodes) node = random.in(0, count - 1);
  return nodes;
}

void expect_bijection(const RankCoordinates& map, const Int3& dims) {
  const auto ranks = static_cast<std::size_t>(ranks_of(dims));
  ASSERT_EQ(map.of_rank.size(), ranks);
  ASSERT_EQ(map.rank_at.size(), ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    for (std::size_t d = 0; d < 3; ++d) {
      ASSERT_GE(map.of_rank[rank][d], 0);
      ASSERT_LT(map.of_rank[rank][d], dims[d]);
    }
    ASSERT_EQ(map.rank_at[linear_index(map.of_rank[rank], dims)], static_cast<int>(rank));
  }
}

void expect_symmetric_neighbours(const RankCoordinates& map, const Int3& dims, Random& random) {
  for (int round = 0; round < 4; ++round) {
    const std::array<bool, 3> periodic{random.coin(), random.coin(), random.coin()};
    const Int3 there{random.in(-2, 2), random.in(-2, 2), random.in(-2, 2)};
    const Int3 back{-there[0], -there[1], -there[2]};
    for (int rank = 0; rank < ranks_of(dims); ++rank) {
      const int other = neighbor_rank(map, dims, periodic, rank, there);
      const Int3& c = map.of_rank[static_cast<std::size_t>(rank)];
      bool outside = false;
      for (std::size_t d = 0; d < 3; ++d) {
        const int moved = c[d] + there[d];
        outside = outside || (!periodic[d] && (moved < 0 || moved >= dims[d]));
      }
      ASSERT_EQ(other == -1, outside);
      if (other >= 0) {
        ASSERT_EQ(neighbor_rank(map, dims, periodic, other, back), rank);
      }
    }
  }
}

TEST(RankMap, EveryMapIsABijectionWithSymmetricNeighbours) {
  Random random(11);
  for (int round = 0; round < 150; ++round) {
    const Int3 dims{random.in(1, 7), random.in(1, 7), random.in(1, 7)};
    const Int3 block{random.in(1, 8), random.in(1, 8), random.in(1, 8)};
    for (const RankCoordinates& map :
         {row_major_map(dims), subdomain_map(dims, block),
          node_blocked_map(dims, block, random_nodes(random, ranks_of(dims)))}) {
      expect_bijection(map, dims);
      expect_symmetric_neighbours(map, dims, random);
    }
  }
}

TEST(RankMap, RowMajorRunsFastestAlongTheLastAxis) {
  const RankCoordinates map = row_major_map({2, 3, 4});
  EXPECT_EQ(map.of_rank[0], (Int3{0, 0, 0}));
  EXPECT_EQ(map.of_rank[1], (Int3{0, 0, 1}));
  EXPECT_EQ(map.of_rank[4], (Int3{0, 1, 0}));
  EXPECT_EQ(map.of_rank[12], (Int3{1, 0, 0}));
  EXPECT_EQ(map.of_rank, subdomain_map({2, 3, 4}, {1, 1, 1}).of_rank);
}

TEST(RankMap, SubdomainMapFillsNodesOneAfterTheOther) {
  const RankCoordinates map = subdomain_map({4, 4, 4}, {2, 2, 2});
  // The first node has the first cube, the second the next one along the last axis.
  EXPECT_EQ(map.of_rank[7], (Int3{1, 1, 1}));
  EXPECT_EQ(map.of_rank[8], (Int3{0, 0, 2}));
  EXPECT_EQ(map.of_rank[63], (Int3{3, 3, 3}));
  // A block at the end of the grid is cut off: three along the last axis are two and one.
  const RankCoordinates cut = subdomain_map({1, 2, 3}, {1, 2, 2});
  EXPECT_EQ(cut.of_rank,
            (std::vector<Int3>{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {0, 0, 2}, {0, 1, 2}}));
}

/// Cross-node messages per node of 8 cores inside a large grid. In a periodic grid all nodes are
/// alike on average.
double communications_per_node(const RankCoordinates& map, const Int3& dims) {
  const int ranks = ranks_of(dims);
  const CrossNode sent = cross_node(map, dims, dims, {true, true, true}, nodes_of(ranks, 8));
  EXPECT_EQ(sent.messages, sent.cells);  // boxes of one cell
  const int nodes = ranks / 8;
  return static_cast<double>(sent.messages) / nodes;
}

TEST(RankMap, FigureThreePointTwoOfStengel) {
  // Stengel 2010, figure 3.2: 8 * 4 + 2 = 34 for the stick that MPI_Cart_create() gives a node of 8
  // cores, 8 * 3 = 24 for a cube.
  const Int3 dims{4, 4, 16};
  EXPECT_EQ(communications_per_node(row_major_map(dims), dims), 34);
  EXPECT_EQ(communications_per_node(subdomain_map(dims, {2, 2, 2}), dims), 24);
  EXPECT_EQ(communications_per_node(subdomain_map(dims, {1, 1, 8}), dims), 34);
}

TEST(RankMap, NodeBlockedMapFollowsTheNodesNotTheRanks) {
  Random random(12);
  for (int round = 0; round < 40; ++round) {
    const Int3 dims{random.in(1, 6), random.in(1, 6), random.in(1, 6)};
    const Int3 block{random.in(1, 3), random.in(1, 3), random.in(1, 3)};
    const std::vector<int> nodes = random_nodes(random, ranks_of(dims));
    const RankCoordinates map = node_blocked_map(dims, block, nodes);
    // A walk over the positions in Stengel's order never returns to a node.
    const RankCoordinates positions = subdomain_map(dims, block);
    int last = 0;
    for (const Int3& position : positions.of_rank) {
      const int rank = map.rank_at[linear_index(position, dims)];
      ASSERT_GE(nodes[static_cast<std::size_t>(rank)], last);
      last = nodes[static_cast<std::size_t>(rank)];
    }
  }
}

TEST(RankMap, CrossNodeCountsWhatEachFaceSends) {
  // Counts again in the simplest way: every rank, every face, every cell.
  Random random(13);
  for (int round = 0; round < 60; ++round) {
    const Int3 dims{random.in(1, 4), random.in(1, 4), random.in(1, 4)};
    const Int3 cells{dims[0] + random.in(0, 9), dims[1] + random.in(0, 9),
                     dims[2] + random.in(0, 9)};
    const std::array<bool, 3> periodic{random.coin(), random.coin(), random.coin()};
    const std::vector<int> nodes = random_nodes(random, ranks_of(dims));
    const RankCoordinates map = node_blocked_map(dims, {2, 1, 2}, nodes);
    CrossNode plain;
    std::vector<std::int64_t> of_node(nodes.size(), 0);
    for (int rank = 0; rank < ranks_of(dims); ++rank) {
      for (std::size_t d = 0; d < 3; ++d) {
        for (const int step : {-1, 1}) {
          Int3 offset{};
          offset[d] = step;
          const int other = neighbor_rank(map, dims, periodic, rank, offset);
          const auto node = [&](int of) {
            return static_cast<std::size_t>(nodes[static_cast<std::size_t>(of)]);
          };
          if (other < 0 || node(rank) == node(other)) continue;
          std::int64_t face = 1;
          for (std::size_t e = 0; e < 3; ++e) {
            const Int3& c = map.of_rank[static_cast<std::size_t>(rank)];
            if (e != d) face *= part_of(cells[e], dims[e], c[e]).count;
          }
          ++plain.messages;
          plain.cells += face;
          of_node[node(rank)] += face;   // sent
          of_node[node(other)] += face;  // received
        }
      }
    }
    const CrossNode result = cross_node(map, dims, cells, periodic, nodes);
    EXPECT_EQ(result.cells, plain.cells);
    EXPECT_EQ(result.messages, plain.messages);
    EXPECT_EQ(result.busiest_node, *std::max_element(of_node.begin(), of_node.end()));
  }
}

TEST(RankMap, PartsTileTheCellsAndDifferByOneAtMost) {
  Random random(14);
  for (int round = 0; round < 500; ++round) {
    const int parts = random.in(1, 60);
    const int cells = random.in(parts, 100'000);
    int next = 0;
    int last = cells;
    for (int part = 0; part < parts; ++part) {
      const Range range = part_of(cells, parts, part);
      ASSERT_EQ(range.first, next);
      ASSERT_GE(range.count, 1);
      ASSERT_LE(range.count, last);  // larger ones first
      last = range.count;
      next += range.count;
    }
    EXPECT_EQ(next, cells);
    EXPECT_LE(part_of(cells, parts, 0).count - part_of(cells, parts, parts - 1).count, 1);
  }
  EXPECT_EQ(part_of(2'000'000'000, 3, 2).first, 1'333'333'334);
}

}  // namespace
}  // namespace plait::mapping
