// SPDX-License-Identifier: BSD-3-Clause
// Tests of the choice of a decomposition: never worse than any other; clear errors.
#include "mapping/decomposition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "plait/error.hpp"
#include "random.hpp"

namespace plait::mapping {
namespace {

using test::Random;

struct Case {
  Int3 cells{};
  std::array<bool, 3> periodic{};
  std::vector<int> nodes;
};

int ranks_of(const Case& grid) {
  return static_cast<int>(grid.nodes.size());
}

/// Counts the cells sent between nodes, and between ranks (as if each rank were a node).
std::pair<std::int64_t, std::int64_t> sent(const Case& grid, const RankCoordinates& map,
                                           const Int3& dims) {
  std::vector<int> each(grid.nodes.size());
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = static_cast<int>(i);
  return {cross_node(map, dims, grid.cells, grid.periodic, grid.nodes).cells,
          cross_node(map, dims, grid.cells, grid.periodic, each).cells};
}

/// Calls `use` with all dims that fit.
template <class Use>
void for_all_dims(const Case& grid, const Use& use) {
  const int ranks = ranks_of(grid);
  for (int x = 1; x <= std::min(ranks, grid.cells[0]); ++x) {
    for (int y = 1; y <= std::min(ranks / x, grid.cells[1]); ++y) {
      const int z = ranks / x / y;
      if (x * y * z == ranks && z <= grid.cells[2]) use(Int3{x, y, z});
    }
  }
}

void expect_none_better(const Case& grid) {
  Decomposition chosen;
  try {
    chosen = choose_decomposition(grid.cells, grid.periodic, {0, 0, 0}, grid.nodes);
  } catch (const Error&) {
    for_all_dims(grid, [](const Int3&) { ADD_FAILURE() << "an arrangement does fit"; });
    return;
  }
  const auto best =
      sent(grid, node_blocked_map(chosen.dims, chosen.node_dims, grid.nodes), chosen.dims);
  std::int64_t least = best.second;
  for_all_dims(grid, [&](const Int3& dims) {
    least = std::min(least, sent(grid, row_major_map(dims), dims).second);
  });
  for_all_dims(grid, [&](const Int3& dims) {
    const auto surface = static_cast<double>(sent(grid, row_major_map(dims), dims).second);
    if (surface > most_surface * static_cast<double>(least)) return;
    for (int x = 1; x <= dims[0]; ++x) {
      for (int y = 1; y <= dims[1]; ++y) {
        for (int z = 1; z <= dims[2]; ++z) {
          const auto other = sent(grid, node_blocked_map(dims, {x, y, z}, grid.nodes), dims);
          ASSERT_LE(best, other) << dims[0] << "x" << dims[1] << "x" << dims[2] << " blocks " << x
                                 << "x" << y << "x" << z;
          // Among equals x is cut last.
          if (other == best) {
            ASSERT_LE(chosen.dims[0], dims[0]);
          }
        }
      }
    }
  });
}

TEST(ChooseDecomposition, IsNeverWorseThanAnyOther) {
  Random random(21);
  for (int round = 0; round < 120; ++round) {
    Case grid{{random.in(1, 40), random.in(1, 40), random.in(1, 40)},
              {random.coin(), random.coin(), random.coin()},
              std::vector<int>(static_cast<std::size_t>(random.in(1, 32)))};
    const int kind = random.in(0, 2);
    const int per_node = random.in(1, 8);
    const int count = random.in(1, 5);
    for (int rank = 0; rank < ranks_of(grid); ++rank) {
      // Nodes filled in order, round robin, or in any order and uneven.
      grid.nodes[static_cast<std::size_t>(rank)] =
          kind == 0 ? rank / per_node : (kind == 1 ? rank % count : random.in(0, count - 1));
    }
    SCOPED_TRACE(testing::Message() << "round " << round << ", " << ranks_of(grid) << " ranks");
    expect_none_better(grid);
  }
}

TEST(ChooseDecomposition, GivesEachNodeACube) {
  std::vector<int> nodes(64);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = static_cast<int>(i / 8);
  const Decomposition cubes = choose_decomposition({480, 480, 480}, {}, {0, 0, 0}, nodes);
  EXPECT_EQ(cubes.dims, (Int3{4, 4, 4}));
  EXPECT_EQ(cubes.node_dims, (Int3{2, 2, 2}));
}

TEST(ChooseDecomposition, CutsXLastAmongEquals) {
  const std::vector<int> one_node(4, 0);
  EXPECT_EQ(choose_decomposition({64, 64, 64}, {}, {0, 0, 0}, one_node).dims, (Int3{1, 2, 2}));
  const std::vector<int> two(2, 0);
  EXPECT_EQ(choose_decomposition({64, 64, 64}, {}, {0, 0, 0}, two).dims, (Int3{1, 1, 2}));
  // Unless another cut sends less.
  EXPECT_EQ(choose_decomposition({640, 64, 64}, {}, {0, 0, 0}, two).dims, (Int3{2, 1, 1}));
}

TEST(ChooseDecomposition, KeepsGivenNumbers) {
  const std::vector<int> nodes(12, 0);
  EXPECT_EQ(choose_decomposition({64, 64, 64}, {}, {3, 0, 0}, nodes).dims, (Int3{3, 2, 2}));
  EXPECT_EQ(choose_decomposition({64, 64, 64}, {}, {12, 1, 1}, nodes).dims, (Int3{12, 1, 1}));
}

TEST(ChooseDecomposition, InRankOrderFitsTheRowMajorMap) {
  // Two nodes, ranks dealt to them in turn: only a cut whose sides alternate keeps them together.
  const std::vector<int> nodes{0, 1, 0, 1, 0, 1, 0, 1};
  const Case grid{{40, 40, 40}, {}, nodes};
  const Decomposition chosen =
      choose_decomposition(grid.cells, grid.periodic, {0, 0, 0}, nodes, Blocks::row_major);
  const auto best = sent(grid, row_major_map(chosen.dims), chosen.dims);
  for_all_dims(grid,
               [&](const Int3& dims) { EXPECT_LE(best, sent(grid, row_major_map(dims), dims)); });
}

TEST(ChooseDecomposition, HandlesManyRanks) {
  // 1024 nodes of 96 ranks, in turn; and nodes of unequal size. The limits of the search keep it
  // short (0.1 s); the result must still beat the map that needs no choice by far.
  std::vector<int> even(98'304);
  std::vector<int> uneven(98'304);
  for (std::size_t i = 0; i < even.size(); ++i) {
    even[i] = static_cast<int>(i % 1024);
    uneven[i] = static_cast<int>(i / 100);
  }
  const Int3 cells{4800, 4800, 4800};
  for (const std::vector<int>& nodes : {even, uneven}) {
    const Decomposition chosen = choose_decomposition(cells, {}, {0, 0, 0}, nodes);
    const RankCoordinates map = node_blocked_map(chosen.dims, chosen.node_dims, nodes);
    const RankCoordinates plain = node_blocked_map(chosen.dims, chosen.dims, nodes);
    EXPECT_LT(cross_node(map, chosen.dims, cells, {}, nodes).cells,
              0.6 * static_cast<double>(cross_node(plain, chosen.dims, cells, {}, nodes).cells));
  }
}

std::string error_of(const Int3& cells, const Int3& fixed, int ranks) {
  try {
    choose_decomposition(cells, {}, fixed, std::vector<int>(static_cast<std::size_t>(ranks), 0));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ChooseDecomposition, SaysWhyNothingFits) {
  EXPECT_EQ(error_of({10, 10, 10}, {2, 2, 2}, 6),
            "ranks 2x2x2: the product is 8, but the program has 6 ranks; start 8 ranks, or set an "
            "axis to 0 to have it chosen");
  EXPECT_EQ(error_of({10, 10, 10}, {4, 0, 0}, 6),
            "ranks 4x0x0: 6 ranks cannot be divided by 4; set all axes to 0 to have them chosen");
  EXPECT_EQ(error_of({2, 10, 10}, {3, 0, 0}, 6),
            "ranks 3x0x0: 3 ranks along x, where the grid has 2 cells; use fewer ranks or a larger "
            "grid");
  EXPECT_EQ(
      error_of({1, 1, 5}, {0, 0, 0}, 6),
      "grid of 1x1x5 cells: cannot be cut into 6 boxes of at least one cell on each axis; use "
      "fewer ranks or a larger grid");
  EXPECT_EQ(error_of({2, 2, 5}, {1, 0, 0}, 14),
            "grid of 2x2x5 cells: cannot be cut into 14 boxes of at least one cell on each axis "
            "with ranks 1x0x0; use fewer ranks or a larger grid");
  EXPECT_EQ(error_of({10, 10, 10}, {-1, 0, 0}, 6),
            "ranks -1x0x0: a number of ranks is negative; set it to 0 to have it chosen");
  EXPECT_EQ(error_of({2'000'000'000, 2'000'000'000, 2'000'000'000},
                     {2'000'000'000, 2'000'000'000, 2'000'000'000}, 6),
            "ranks 2000000000x2000000000x2000000000: more than the 6 ranks of the program; "
            "start more ranks, or set an axis to 0 to have it chosen");
}

}  // namespace
}  // namespace plait::mapping
