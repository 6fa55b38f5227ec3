// SPDX-License-Identifier: BSD-3-Clause
// Tests of groups of ranks that behave alike.
#include "report/alike_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/terminal.hpp"
#include "text/terminal.hpp"

namespace plait::report {
namespace {

/// Ranks that compute about 9 s of 10 s, and wait in MPI for the rest.
std::vector<RankRow> balanced(int ranks) {
  std::vector<RankRow> rows;
  for (int rank = 0; rank < ranks; ++rank) {
    RankRow row;
    row.rank = rank;
    row.wall_s = 10;
    row.compute_s = 9 + 0.001 * (rank * 37 % 101);
    row.mpi_s = row.wall_s - row.compute_s;
    rows.push_back(row);
  }
  return rows;
}

void set_compute(RankRow& row, double seconds) {
  row.compute_s = seconds;
  row.mpi_s = row.wall_s - seconds;
}

TEST(AlikeRanks, RanksThatDifferGraduallyAreOneGroup) {
  const std::vector<AlikeRanks> groups = alike_ranks(balanced(1000), 8);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].ranks.size(), 1000u);
  EXPECT_DOUBLE_EQ(groups[0].compute_s.least, 9);
  EXPECT_DOUBLE_EQ(groups[0].compute_s.most, 9.1);
  EXPECT_NEAR(groups[0].compute_s.median, 9.05, 0.002);
  EXPECT_EQ(name_of(groups[0], 40), "ranks 0-999 (1000)");
}

TEST(AlikeRanks, ASlowRankAndAFastNodeAreGroupsOfTheirOwn) {
  for (const int ranks : {8, 512, 10'000}) {
    std::vector<RankRow> rows = balanced(ranks);
    set_compute(rows[3], 10);
    for (int rank = 4; rank < 8; ++rank) set_compute(rows[static_cast<std::size_t>(rank)], 6);
    const std::vector<AlikeRanks> groups = alike_ranks(rows, 8);
    ASSERT_EQ(groups.size(), 3u) << ranks;
    const auto with = [&](int rank) {
      return std::find_if(groups.begin(), groups.end(), [&](const AlikeRanks& group) {
        return std::count(group.ranks.begin(), group.ranks.end(), rank) > 0;
      });
    };
    EXPECT_EQ(name_of(*with(3), 40), "rank 3");
    EXPECT_EQ(with(3)->typical, 3);
    EXPECT_EQ(name_of(*with(5), 40), "ranks 4-7 (4)");
    EXPECT_DOUBLE_EQ(with(5)->mpi_s.median, 4);
    EXPECT_EQ(with(0)->ranks.size(), static_cast<std::size_t>(ranks - 5));
  }
}

TEST(AlikeRanks, TheLargestGapsSeparateFewGroups) {
  std::vector<RankRow> rows = balanced(100);
  for (std::size_t i = 0; i < 3; ++i) set_compute(rows[i], 1 + static_cast<double>(i * i));
  EXPECT_EQ(alike_ranks(rows, 16).size(), 4u) << "1 s, 2 s, 5 s, and 9 s and more";
  const std::vector<AlikeRanks> two = alike_ranks(rows, 2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_GT(two[0].compute_s.least, two[1].compute_s.most);
}

TEST(AlikeRanks, LongListsAreShortened) {
  AlikeRanks even;
  for (int rank = 0; rank < 2000; rank += 2) even.ranks.push_back(rank);
  const std::string name = name_of(even, 24);
  EXPECT_EQ(name, "ranks 0,...,1998 (1000)");
  EXPECT_TRUE(alike_ranks({}, 8).empty());
}

TEST(AlikeRanks, TheTerminalNamesTheExtremesOfOneGroup) {
  Profile profile;
  profile.ranks = balanced(100);
  profile.world_size = profile.ranks_recorded = 100;
  const std::vector<std::string> lines = terminal_lines(profile, {});
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("3 of 100 ranks");
  }));
}

TEST(AlikeRanks, TheTerminalShowsGroupsWithinItsLines) {
  Profile profile;
  profile.ranks = balanced(10'000);
  set_compute(profile.ranks[4711], 10);
  profile.world_size = profile.ranks_recorded = 10'000;
  const std::vector<std::string> lines = terminal_lines(profile, {});
  EXPECT_LE(lines.size(), 24u);
  const auto shows = [&](const std::string& text) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      EXPECT_LE(display_width(line), 80u) << line;
      return line.find(text) != std::string::npos;
    });
  };
  EXPECT_TRUE(shows("10000 ranks in 2 groups"));
  EXPECT_TRUE(shows("(9999)"));
  EXPECT_TRUE(shows("rank 4711 "));
}

TEST(AlikeRanks, SharesAreOfTheLongestRanksTime) {
  Profile profile;
  profile.ranks = balanced(64);
  // Of the group, the ranks with the median computation and MPI ran for different times.
  for (int rank = 0; rank < 64; ++rank) {
    RankRow& row = profile.ranks[static_cast<std::size_t>(rank)];
    row.compute_s = rank == 0 ? 8 : 0.1;
    row.mpi_s = rank == 0 ? 2 : rank % 2 == 0 ? 5 : 4.9;
    row.wall_s = row.compute_s + row.mpi_s;
  }
  profile.world_size = profile.ranks_recorded = 64;
  const std::vector<std::string> lines = terminal_lines(profile, {});
  const auto group = std::ranges::find_if(
      lines, [](const std::string& line) { return line.starts_with("ranks 1-63 (63)"); });
  ASSERT_NE(group, lines.end());
  EXPECT_NE(group->find("  49 %"), std::string::npos) << *group;
}

}  // namespace
}  // namespace plait::report
