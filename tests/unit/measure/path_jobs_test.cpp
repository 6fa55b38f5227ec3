// SPDX-License-Identifier: BSD-3-Clause
// The pairs that are measured on recorded and synthetic machines.
#include "measure/path_jobs.hpp"

#include <gtest/gtest.h>

#include <set>

#include "machine/discover.hpp"

namespace plait::measure {
namespace {

machine::Topology synthetic(const std::string& description) {
  return machine::discover_synthetic(description).topology;
}

TEST(PathJobs, group_the_pairs_of_henriksens_machine_in_three_kinds) {
  // Figure 4.1: two sockets with two dies each; a die has two cores and a shared L2.
  const auto jobs = plan_paths(synthetic("pack:2 l2:2 core:2 pu:1"), 100, 4);
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_EQ(jobs[0].kind.id, "l2");
  EXPECT_EQ(jobs[0].pairs_total, 4);
  EXPECT_EQ(jobs[1].kind.id, "package");
  EXPECT_EQ(jobs[1].pairs_total, 8);
  EXPECT_EQ(jobs[2].kind.id, "node");
  EXPECT_EQ(jobs[2].pairs_total, 16);
  for (const PathJob& job : jobs) {
    EXPECT_EQ(static_cast<int>(job.pairs.size()), job.pairs_total);
    EXPECT_EQ(job.together.size(), 4U) << "all eight cores at once over " << job.kind.name;
  }
}

TEST(PathJobs, several_pairs_at_once_share_no_core) {
  for (const PathJob& job : plan_paths(synthetic("pack:2 l3:4 core:8 pu:2"), 3, 64)) {
    std::set<int> cores;
    for (const auto& pair : job.together) {
      EXPECT_TRUE(cores.insert(pair[0]).second);
      EXPECT_TRUE(pair[0] == pair[1] || cores.insert(pair[1]).second);
    }
    EXPECT_LE(job.pairs.size(), 3U);
    EXPECT_GE(job.pairs_total, static_cast<int>(job.pairs.size()));
  }
}

TEST(PathJobs, one_core_with_two_threads_has_the_path_between_them) {
  const machine::Topology topology = synthetic("pack:1 core:1 pu:2");
  const auto jobs = plan_paths(topology, 3, 8);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].kind.id, "smt");
  EXPECT_EQ(pus_of_pair(topology, jobs[0].pairs.front()), (std::array<int, 2>{0, 1}));
}

TEST(PathJobs, one_core_with_one_thread_has_none) {
  EXPECT_TRUE(plan_paths(synthetic("pack:1 core:1 pu:1"), 3, 8).empty());
}

TEST(PathJobs, restricted_cores_leave_only_their_pairs) {
  const machine::Topology all = synthetic("pack:2 core:4 pu:1");
  const auto jobs = plan_paths(restricted(all, {1, 6}), 3, 8);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs[0].kind.id, "node");
  EXPECT_EQ(jobs[0].pairs, (std::vector<machine::CorePair>{{1, 6}}));
  EXPECT_EQ(pus_of_pair(all, {1, 6}), (std::array<int, 2>{1, 6}));
}

TEST(PathJobs, counts_of_pairs_double_up_to_the_most) {
  EXPECT_EQ(pair_counts(1), (std::vector<int>{1}));
  EXPECT_EQ(pair_counts(6), (std::vector<int>{1, 2, 4, 6}));
  EXPECT_EQ(pair_counts(8), (std::vector<int>{1, 2, 4, 8}));
  EXPECT_TRUE(pair_counts(0).empty());
}

}  // namespace
}  // namespace plait::measure
