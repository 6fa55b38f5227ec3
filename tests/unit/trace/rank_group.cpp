// SPDX-License-Identifier: BSD-3-Clause
// Tests of the ranks of a group as regular runs.
#include "trace/rank_group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace plait::trace {
namespace {

TEST(RankGroup, KeepsRegularRanksAsOneRun) {
  RankGroup world;
  for (int rank = 0; rank < 100'000; ++rank) world.push_back(rank);
  ASSERT_EQ(world.runs().size(), 1u);
  EXPECT_EQ(world.size(), 100'000u);
  EXPECT_EQ(world.length(world.runs()[0]), 100'000u);
  EXPECT_EQ(world[99'999], 99'999);
  RankGroup column;
  column.append(3, 512, 512);
  EXPECT_EQ(column.runs().size(), 1u);
  EXPECT_EQ(column[511], 3 + 511 * 512);
}

TEST(RankGroup, GivesTheRanksInTheirOrder) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<int> ranks;
    RankGroup group;
    while (ranks.size() < 200) {
      const int first = static_cast<int>(random() % 1000) - 1;
      const auto count = static_cast<std::size_t>(1 + random() % 6);
      const int stride = static_cast<int>(random() % 3);
      group.append(first, count, stride);
      for (std::size_t i = 0; i < count; ++i) {
        ranks.push_back(first + static_cast<int>(i) * stride);
      }
    }
    EXPECT_EQ(group.to_vector(), ranks);
    EXPECT_EQ(group, RankGroup(ranks)) << "however they were added";
    std::size_t of_runs = 0;
    for (const RankGroup::Run& run : group.runs()) of_runs += group.length(run);
    EXPECT_EQ(of_runs, ranks.size());
    EXPECT_EQ(std::find(group.begin(), group.end(), ranks.back()) - group.begin(),
              std::ranges::find(ranks, ranks.back()) - ranks.begin());
  }
}

TEST(RankGroup, DistinguishesGroups) {
  EXPECT_EQ((RankGroup{0, 1, 2}), (RankGroup{0, 1, 2}));
  EXPECT_FALSE((RankGroup{0, 1, 2}) == (RankGroup{0, 1}));
  EXPECT_FALSE((RankGroup{0, 1, 2}) == (RankGroup{0, 2, 1}));
  EXPECT_TRUE(RankGroup().empty());
}

TEST(RankGroup, HasRoomForTheExtremes) {
  constexpr int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
  const RankGroup group{least, most, least, most - 1};
  EXPECT_EQ(group.to_vector(), (std::vector<int>{least, most, least, most - 1}));
}

}  // namespace
}  // namespace plait::trace
