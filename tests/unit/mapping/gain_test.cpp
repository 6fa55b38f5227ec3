// SPDX-License-Identifier: BSD-3-Clause
// The predicted gain of a mapping, and its interval.
#include "mapping/gain.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "mapping/search/map_processes.hpp"
#include "mapping/search/portfolio_map.hpp"

namespace plait::mapping {
namespace {

/// 4 x 4 x 2 processes with faces of 256 KiB on four nodes of 8.
MappingRequest request_of_cubes() {
  MappingRequest request;
  request.grid = Cartesian{{4, 4, 2}, {false, false, false}, {262144, 262144, 262144}};
  request.graph = graph_of(*request.grid);
  std::vector<int> nodes(32);
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) nodes[rank] = static_cast<int>(rank / 8);
  request.slots = slots_on_nodes(nodes);
  return request;
}

/// Costs without a range, so that only the variants of the model are left.
CostsRange exact(const Costs& costs) {
  return {costs, costs, costs, "given", false};
}

TEST(Gain, OfTheSameMappingIsOne) {
  const MappingRequest request = request_of_cubes();
  std::vector<int> now(32);
  std::iota(now.begin(), now.end(), 0);
  const Gain gain = gain_of(request, now, now, default_costs_range());
  EXPECT_EQ(gain.ratio.low, 1);
  EXPECT_EQ(gain.ratio.value, 1);
  EXPECT_EQ(gain.ratio.high, 1);
  EXPECT_LT(gain.before_s.low, gain.before_s.value);
  EXPECT_GT(gain.before_s.high, gain.before_s.value);
}

TEST(Gain, FollowsTheCardsIfOnlyTheNetworkCosts) {
  MappingRequest request = request_of_cubes();
  Costs costs{};
  costs.card.seconds_per_byte = 1 / 125e6;
  request.costs = costs;
  std::vector<int> now(32);
  std::iota(now.begin(), now.end(), 0);
  const MappingResult result = map_processes(request);
  const Gain gain = gain_of(request, now, result.slot_of, exact(costs));
  // The busiest node sends 16 faces each way in block order, 8 when mapped.
  EXPECT_NEAR(gain.before_s.value, 16 * 262144 / 125e6, 1e-9);
  EXPECT_NEAR(gain.after_s.value, 8 * 262144 / 125e6, 1e-9);
  EXPECT_NEAR(gain.ratio.low, 2, 1e-9);
  EXPECT_NEAR(gain.ratio.high, 2, 1e-9);
}

TEST(Gain, IsSmallerIfMessagesInsideANodeAddToTheTime) {
  MappingRequest request = request_of_cubes();
  Costs costs = default_costs();
  costs.card.seconds_per_byte = 1 / 125e6;
  std::vector<int> now(32);
  std::iota(now.begin(), now.end(), 0);
  request.costs = costs;
  const MappingResult result = map_processes(request);
  const Gain gain = gain_of(request, now, result.slot_of, exact(costs));
  EXPECT_LT(gain.ratio.low, gain.ratio.value);
  EXPECT_GT(gain.ratio.low, 1.5);
}

TEST(PortfolioMap, IsNeverWorseThanRowMajorOnAnyNodes) {
  const Int3 dims{4, 4, 2};
  for (const std::vector<int>& sizes :
       {std::vector<int>{8, 8, 8, 8}, std::vector<int>{12, 8, 8, 4}, std::vector<int>{1, 31}}) {
    std::vector<int> nodes;
    for (std::size_t node = 0; node < sizes.size(); ++node) {
      nodes.insert(nodes.end(), static_cast<std::size_t>(sizes[node]), static_cast<int>(node));
    }
    const RankCoordinates best = portfolio_map(dims, dims, {}, nodes);
    const RankCoordinates plain = row_major_map(dims);
    EXPECT_LE(cross_node(best, dims, dims, {}, nodes).messages,
              cross_node(plain, dims, dims, {}, nodes).messages);
    EXPECT_NO_THROW(given_map(best.of_rank, dims));
  }
  const std::vector<int> uneven = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1,
                                   1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3};
  const RankCoordinates best = portfolio_map(dims, dims, {}, uneven);
  EXPECT_EQ(cross_node(best, dims, dims, {}, uneven).messages,
            2 * 16);  // 26 pairs in row-major order
}

}  // namespace
}  // namespace plait::mapping
