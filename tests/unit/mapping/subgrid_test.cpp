// SPDX-License-Identifier: BSD-3-Clause
// Stengel's figures 3.2 and 3.3: sticks, blocks and cubes of subdomains.
#include "mapping/subgrid.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace plait::mapping {
namespace {

/// The value of a claim of tests/data/stengel/stengel_claims.csv.
std::string claim(const std::string& begin) {
  std::ifstream file(PLAIT_TEST_DATA "/stengel/stengel_claims.csv");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(begin)) return line.substr(line.rfind(',') + 1);
  }
  return "";
}

TEST(Subgrid, SticksAndCubesOfEightAreThoseOfFigureThreePointTwo) {
  const SubgridSurface eight = subgrid_surface(8);
  EXPECT_EQ(eight.block, (Int3{2, 2, 2}));
  EXPECT_EQ(std::to_string(eight.stick) + " versus " + std::to_string(eight.of_block),
            claim("cross-node communications per exchange with sticks of 8"));
  EXPECT_EQ(eight.scattered, 48);
  EXPECT_NEAR(eight.cube, 24, 1e-12);
}

TEST(Subgrid, BlocksAreTheBestBoxesAndNeverBelowTheCube) {
  for (int cores = 1; cores <= 300; ++cores) {
    const SubgridSurface one = subgrid_surface(cores);
    EXPECT_EQ(one.stick, 4 * cores + 2);
    EXPECT_EQ(one.block[0] * one.block[1] * one.block[2], cores);
    EXPECT_GE(static_cast<double>(one.of_block), one.cube - 1e-9);
    for (int x = 1; x <= cores; ++x) {
      for (int y = 1; x * y <= cores; ++y) {
        if (cores % (x * y) != 0) continue;
        const int z = cores / x / y;
        EXPECT_LE(one.of_block, 2 * (x * y + y * z + z * x)) << cores << " cores";
      }
    }
  }
}

TEST(Subgrid, CountsAreThoseOfTheMapsThemselves) {
  // In a periodic grid of such blocks all nodes are alike.
  for (const int cores : {4, 6, 8, 12, 27}) {
    const SubgridSurface one = subgrid_surface(cores);
    const Int3 dims{3 * one.block[0], 3 * one.block[1], 3 * one.block[2]};
    const int ranks = dims[0] * dims[1] * dims[2];
    std::vector<int> nodes(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) nodes[static_cast<std::size_t>(rank)] = rank / cores;
    const CrossNode sent =
        cross_node(subdomain_map(dims, one.block), dims, dims, {true, true, true}, nodes);
    EXPECT_EQ(sent.messages, one.of_block * (ranks / cores)) << cores << " cores";
  }
}

}  // namespace
}  // namespace plait::mapping
