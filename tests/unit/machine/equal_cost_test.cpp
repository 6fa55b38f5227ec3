// SPDX-License-Identifier: BSD-3-Clause
// Sizes at which messages inside a node and between nodes cost the same.
#include "machine/equal_cost.hpp"

#include <gtest/gtest.h>

namespace plait::machine {
namespace {

Path path_with(const std::string& id, const std::vector<std::pair<std::uint64_t, double>>& times) {
  Path path;
  path.id = id;
  path.name = "path " + id;
  for (const auto& [bytes, time_us] : times) {
    CurvePoint point;
    point.bytes = bytes;
    point.half_round_trip_us.median = time_us;
    point.half_round_trip_us.n = 10;
    path.mpi_pingpong.push_back(point);
  }
  return path;
}

TEST(EqualCost, IsWhereTheCurvesCrossForGood) {
  Measured measured;
  // Twice as slow between nodes at 1 KiB, twice as fast at 16 KiB: equal at 4 KiB. The crossing at
  // 1 B does not last.
  measured.paths = {path_with("l3", {{1, 2}, {1024, 4}, {16384, 40}}),
                    path_with("network", {{1, 1}, {1024, 8}, {16384, 20}, {65536, 30}})};
  const std::vector<EqualCost> costs = equal_costs(measured);
  ASSERT_EQ(costs.size(), 1U);
  ASSERT_TRUE(costs[0].from_bytes.has_value());
  EXPECT_NEAR(*costs[0].from_bytes, 4096, 1e-6);
  EXPECT_EQ(equal_cost_sentence(costs[0]),
            "Messages from 4 KiB on cost no more between nodes than inside the node (path l3)");
}

TEST(EqualCost, MayBeNowhere) {
  Measured measured;
  measured.paths = {path_with("l3", {{8, 1}, {65536, 4}})};
  EXPECT_TRUE(equal_costs(measured).empty()) << "no network was measured";
  measured.paths.push_back(path_with("network", {{8, 20}, {65536, 600}}));
  ASSERT_EQ(equal_costs(measured).size(), 1U);
  EXPECT_EQ(equal_cost_sentence(equal_costs(measured)[0]),
            "Messages of up to 64 KiB cost less inside the node (path l3) than between nodes");
  measured.paths[1].mpi_pingpong[1].half_round_trip_us.unusable = "disturbed";
  EXPECT_EQ(equal_costs(measured)[0].longest_bytes, 8U);
}

}  // namespace
}  // namespace plait::machine
