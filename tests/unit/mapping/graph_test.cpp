// SPDX-License-Identifier: BSD-3-Clause
// Tests of graphs of grids and matrices.
#include "mapping/graph.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "plait/error.hpp"

namespace plait::mapping {
namespace {

std::vector<int> neighbours(const Graph& graph, int process) {
  const auto p = static_cast<std::size_t>(process);
  return {graph.to.begin() + graph.first[p], graph.to.begin() + graph.first[p + 1]};
}

Cartesian grid_of(const std::vector<int>& dims, bool periodic) {
  Cartesian grid;
  grid.dims = dims;
  grid.periodic.assign(dims.size(), periodic);
  return grid;
}

TEST(GraphOfGrid, HasTwoNeighboursPerAxisWithTheLastAxisFastest) {
  const Graph graph = graph_of(grid_of({3, 4}, false));
  EXPECT_EQ(graph.size(), 12);
  EXPECT_EQ(neighbours(graph, 0), (std::vector<int>{1, 4}));
  EXPECT_EQ(neighbours(graph, 5), (std::vector<int>{1, 4, 6, 9}));
  EXPECT_EQ(graph.to.size(), 2u * (3 * 3 + 2 * 4));
}

TEST(GraphOfGrid, WrapsAroundOnPeriodicAxes) {
  const Graph graph = graph_of(grid_of({3, 4}, true));
  EXPECT_EQ(neighbours(graph, 0), (std::vector<int>{1, 3, 4, 8}));
}

TEST(GraphOfGrid, CountsBothFacesOfAPeriodicAxisOfTwoUnlessPairsCountOnce) {
  Cartesian grid = grid_of({2}, true);
  grid.bytes = {7};
  const Graph both = graph_of(grid);
  EXPECT_EQ(neighbours(both, 0), std::vector<int>{1});
  EXPECT_EQ(both.bytes, (std::vector<double>{14, 14}));
  EXPECT_EQ(both.messages, (std::vector<double>{2, 2}));
  grid.pairs_once = true;
  EXPECT_EQ(graph_of(grid).bytes, (std::vector<double>{7, 7}));
}

TEST(GraphOfGrid, HasNoNeighbourOnAnAxisOfOne) {
  EXPECT_TRUE(graph_of(grid_of({1, 1}, true)).to.empty());
}

TEST(GraphOfGrid, WeighsFacesEdgesAndCornersOfAFullStencil) {
  Cartesian grid = grid_of({3, 3, 3}, false);
  grid.stencil = Stencil::full;
  grid.bytes = {64, 8, 1};
  const Graph graph = graph_of(grid);
  const int centre = 13;
  EXPECT_EQ(neighbours(graph, centre).size(), 26u);
  double sum = 0;
  for (auto i = graph.first[centre]; i < graph.first[centre + 1]; ++i) {
    sum += graph.bytes[static_cast<std::size_t>(i)];
  }
  EXPECT_EQ(sum, 6 * 64 + 12 * 8 + 8 * 1);
  EXPECT_EQ(neighbours(graph, 0).size(), 7u);
}

TEST(GraphOfGrid, RefusesWhatIsNotAGrid) {
  EXPECT_THROW(graph_of(grid_of({3, 0}, false)), Error);
  EXPECT_THROW(graph_of(grid_of({100000, 100000}, false)), Error);
  Cartesian grid = grid_of({3, 4}, false);
  grid.periodic = {true};
  EXPECT_THROW(graph_of(grid), Error);
  grid = grid_of({3, 4}, false);
  grid.bytes = {1, -1};
  EXPECT_THROW(graph_of(grid), Error);
  grid.bytes = {1};
  EXPECT_THROW(graph_of(grid), Error);
}

TEST(GraphOfMatrix, IsSymmetricInItsPatternOnly) {
  const Graph graph = graph_of({0, 5, 0,  //
                                0, 0, 2,  //
                                0, 3, 9},
                               3);
  EXPECT_EQ(neighbours(graph, 0), std::vector<int>{1});
  EXPECT_EQ(neighbours(graph, 1), (std::vector<int>{0, 2}));
  EXPECT_EQ(neighbours(graph, 2), std::vector<int>{1});
  EXPECT_EQ(graph.bytes, (std::vector<double>{5, 0, 2, 3}));
}

TEST(GraphOfMatrix, RefusesWhatIsNotAMatrix) {
  EXPECT_THROW(graph_of({1, 2, 3}, 2), Error);
  EXPECT_THROW(graph_of({0, -1, 0, 0}, 2), Error);
  EXPECT_EQ(graph_of(std::vector<double>{}, 0).size(), 0);
}

}  // namespace
}  // namespace plait::mapping
