// SPDX-License-Identifier: BSD-3-Clause
// Tests of the page's profile of many ranks, on generated runs.
#include "report/page_profile.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/json_file.hpp"
#include "generated_profile.hpp"
#include "report/build.hpp"
#include "schema_check.hpp"

namespace plait::report {
namespace {

/// The profile of a generated run.
Profile profile_of(const generated::RunShape& shape) {
  const std::filesystem::path run =
      std::filesystem::temp_directory_path() / ("plait-generated-" + std::to_string(::getpid()));
  std::filesystem::remove_all(run);
  generated::write_profile(shape, run);
  Profile profile = build_profile(run);
  std::filesystem::remove_all(run);
  return profile;
}

TEST(PageProfile, FewRanksHaveARowEach) {
  const Profile profile = profile_of({.ranks = 8, .slow_rank = 5});
  EXPECT_EQ(page_profile(profile), profile_to_json(profile));
  EXPECT_NE(profile.verdict.find("rank 5 computes"), std::string::npos) << profile.verdict;
}

TEST(PageProfile, ManyRanksAreBinned) {
  const Profile profile = profile_of({.ranks = 520, .ranks_per_node = 40, .slow_rank = 333});
  EXPECT_EQ(profile.ranks.size(), 520u);
  EXPECT_NE(profile.verdict.find("rank 333 computes"), std::string::npos) << profile.verdict;
  const nlohmann::json whole = profile_to_json(profile);
  EXPECT_EQ(
      schema_violations(parse_json(read_text_file(PLAIT_SCHEMAS "/profile-1.schema.json")), whole),
      std::vector<std::string>{});
  EXPECT_EQ(whole["rank_groups"][1]["ranks"], "333");
  EXPECT_EQ(profile_from_json(whole, "whole"), profile);
  const nlohmann::json page = page_profile(profile);
  EXPECT_EQ(page["matrix"]["ranks_per_cell"], 4) << "divides the 40 ranks of a node";
  ASSERT_EQ(page["ranks"].size(), 130u);
  double wall = 0, binned = 0;
  for (const RankRow& rank : profile.ranks) wall += rank.wall_s;
  for (const auto& bin : page["ranks"]) {
    const int ranks = bin["last_rank"].get<int>() - bin["rank"].get<int>() + 1;
    EXPECT_EQ(ranks, 4);
    binned += ranks * bin["wall_s"].get<double>();
    EXPECT_LE(bin["compute_least_s"], bin["compute_s"]);
    EXPECT_LE(bin["compute_s"], bin["compute_most_s"]);
  }
  EXPECT_NEAR(binned, wall, 1e-9 * wall);
  EXPECT_GT(page["ranks"][333 / 4]["compute_most_s"].get<double>(),
            1.3 * page["ranks"][333 / 4]["compute_least_s"].get<double>());
  std::uint64_t bytes = 0, in_cells = 0;
  for (const MatrixEntry& entry : profile.matrix.point_to_point) bytes += entry.bytes;
  for (const auto& cell : page["matrix"]["point_to_point"]) {
    EXPECT_LT(cell[0], 130);
    EXPECT_LT(cell[1], 130);
    in_cells += cell[3].get<std::uint64_t>();
  }
  EXPECT_EQ(in_cells, bytes);
  EXPECT_LE(page["memory"]["ranks"].size(), 256u);
  EXPECT_EQ(page["rank_groups"][1]["ranks"], "333");
}

TEST(PageProfile, TheMatrixOfManyRanksLeavesOutWhatAllSendToAll) {
  const Profile profile = profile_of({.ranks = 520, .ranks_per_node = 40});
  EXPECT_EQ(profile.matrix.point_to_point.size(), 520u * 6);
  for (const MatrixEntry& entry : profile.matrix.collective)
    EXPECT_EQ(entry.from, 0) << "MPI_Bcast";
  EXPECT_EQ(profile.matrix.collective.size(), 519u);
  EXPECT_GE(profile.matrix.left_out, 2u * 520 * 519) << "MPI_Allreduce, MPI_Barrier";
}

}  // namespace
}  // namespace plait::report
