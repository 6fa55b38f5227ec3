// SPDX-License-Identifier: BSD-3-Clause
// A slow rank, node or row of the grid is named among 8, 512 and 10 000 ranks.
#include "report/busiest.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "generated_profile.hpp"
#include "report/build.hpp"

namespace plait::report {
namespace {

/// The title of the finding on load imbalance of a generated run; the verdict names the same.
std::string finding_of(const generated::RunShape& shape) {
  const std::filesystem::path run =
      std::filesystem::temp_directory_path() / ("plait-busiest-" + std::to_string(::getpid()));
  std::filesystem::remove_all(run);
  generated::write_profile(shape, run);
  const Profile profile = build_profile(run);
  std::filesystem::remove_all(run);
  for (const Finding& finding : profile.findings) {
    if (finding.id != "load_imbalance") continue;
    EXPECT_NE(profile.verdict.find(finding.what), std::string::npos) << profile.verdict;
    return finding.what;
  }
  return "none";
}

bool begins(const std::string& text, const std::string& with) {
  return text.starts_with(with + " computes 1.");
}

TEST(Busiest, IsTheSlowRankOfAnyNumber) {
  EXPECT_PRED2(begins, finding_of({.ranks = 8, .slow_rank = 5}), "rank 5");
  EXPECT_PRED2(begins, finding_of({.ranks = 512, .slow_rank = 333}), "rank 333");
}

TEST(Busiest, IsTheSlowNodeOfAnyNumber) {
  EXPECT_PRED2(begins, finding_of({.ranks = 8, .ranks_per_node = 2, .slow_node = 2}), "node0002");
  EXPECT_PRED2(begins, finding_of({.ranks = 512, .slow_node = 5}), "node0005");
}

TEST(Busiest, IsTheSlowRowOfAnyNumber) {
  EXPECT_PRED2(begins, finding_of({.ranks = 8, .slow_row = 3}),
               "row (1, 1, *) of the 2 x 2 x 2 grid");
  EXPECT_PRED2(begins, finding_of({.ranks = 512, .slow_row = 13}),
               "row (1, 5, *) of the 8 x 8 x 8 grid");
}

/// As build_profile fills the rows and the matrix of a generated run.
Profile profile_of(const generated::RunShape& shape) {
  Profile profile;
  profile.matrix.size = shape.ranks;
  for (int rank = 0; rank < shape.ranks; ++rank) {
    RankRow row;
    row.rank = rank;
    row.host = generated::host_of(shape, rank);
    row.wall_s = generated::compute_s(shape, rank);
    profile.ranks.push_back(row);
    for (const int to : generated::neighbours_of(shape, rank)) {
      profile.matrix.point_to_point.push_back({rank, to, 1, 1});
    }
  }
  return profile;
}

TEST(Busiest, IsNamedAmongTenThousandRanks) {
  EXPECT_EQ(busiest_ranks(profile_of({.ranks = 10'000, .slow_rank = 7777})).who, "rank 7777");
  const Busiest node = busiest_ranks(profile_of({.ranks = 10'000, .slow_node = 100}));
  EXPECT_EQ(node.who, "node0100");
  EXPECT_EQ(node.ranks.size(), 64u);
  EXPECT_EQ(busiest_ranks(profile_of({.ranks = 10'000, .slow_row = 321})).who,
            "row (16, 1, *) of the 25 x 20 x 20 grid");
}

TEST(Busiest, OfRanksWithNothingInCommonIsTheLongest) {
  Profile profile = profile_of({.ranks = 64, .ranks_per_node = 8, .imbalance = 0});
  profile.ranks[3].wall_s = profile.ranks[20].wall_s = 2;
  profile.ranks[50].wall_s = 2.01;
  EXPECT_EQ(busiest_ranks(profile).who, "rank 50");
  EXPECT_NEAR(busiest_ranks(profile).ratio, 1.92, 0.01);
}

TEST(ImpliedGrid, NeedsNeighboursInTwoDirections) {
  EXPECT_EQ(implied_grid(profile_of({.ranks = 60}).matrix), (std::vector<int>{5, 4, 3}));
  EXPECT_TRUE(
      implied_grid(profile_of({.ranks = 60, .pattern = generated::Pattern::ring}).matrix).empty());
  EXPECT_TRUE(implied_grid({}).empty());
}

TEST(NameInGrid, KnowsRowsAndPlanes) {
  const std::vector<int> grid{2, 3, 4};
  EXPECT_EQ(name_in_grid({4, 5, 6, 7}, grid), "row (0, 1, *) of the 2 x 3 x 4 grid");
  EXPECT_EQ(name_in_grid({2, 6, 10}, grid), "row (0, *, 2) of the 2 x 3 x 4 grid");
  EXPECT_EQ(name_in_grid({1, 5, 9, 13, 17, 21}, grid), "plane (*, *, 1) of the 2 x 3 x 4 grid");
  EXPECT_EQ(name_in_grid({4, 5, 6}, grid), "");
  EXPECT_EQ(name_in_grid({4}, grid), "");
}

}  // namespace
}  // namespace plait::report
