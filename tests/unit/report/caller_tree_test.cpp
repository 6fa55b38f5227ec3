// SPDX-License-Identifier: BSD-3-Clause
// The callers of each MPI function.
#include "report/caller_tree.hpp"

#include <gtest/gtest.h>

#include "synthetic_profiles.hpp"

namespace plait::report {
namespace {

using Names = std::vector<std::string>;

TEST(CallerTree, branches_where_call_paths_differ) {
  const std::vector<CallerNode> trees = caller_tree(wrapped_profile());
  ASSERT_EQ(trees.size(), 2U);  // without MPI_Init
  const CallerNode& waits = trees[0];
  EXPECT_EQ(waits.frames, (Names{"MPI_Waitall", "comm_wait (comm.c:52)"}));
  EXPECT_EQ(waits.count, 300U);
  EXPECT_DOUBLE_EQ(waits.time_s, 12);
  ASSERT_EQ(waits.callers.size(), 2U);
  EXPECT_EQ(waits.callers[0].frames, (Names{"matvec (amg.c:30)", "main (main.c:9)"}));
  EXPECT_EQ(waits.callers[1].frames, (Names{"exchange_rows (amg.c:20)", "main (main.c:9)"}));
  EXPECT_DOUBLE_EQ(waits.callers[1].time_s, 3);
  EXPECT_EQ(trees[1].frames, (Names{"MPI_Allreduce", "norm (amg.c:40)", "main (main.c:9)"}));
  EXPECT_TRUE(trees[1].callers.empty());
}

TEST(CallerTree, keeps_a_branch_for_paths_that_end_earlier) {
  Profile profile = wrapped_profile();
  profile.sites[1].frames.resize(1);
  const std::vector<CallerNode> trees = caller_tree(profile);
  EXPECT_EQ(trees[0].frames, (Names{"MPI_Waitall", "comm_wait (comm.c:52)"}));
  EXPECT_EQ(trees[0].callers.size(), 1U);
  EXPECT_EQ(trees[0].count, 300U);
}

}  // namespace
}  // namespace plait::report
