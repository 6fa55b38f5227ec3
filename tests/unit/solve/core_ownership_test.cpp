// SPDX-License-Identifier: BSD-3-Clause
// Threads own cores or share them, for bindings by launchers on various nodes.
#include "solve/schedules/core_ownership.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using plait::machine::CpuSet;
using plait::solve::RankCores;

RankCores rank(const std::string& cpus, int threads, double quota_cores = 0) {
  return {CpuSet::parse(cpus), threads, quota_cores};
}

TEST(CoreOwnership, RanksBoundToCoresOwnThem) {
  const std::vector<RankCores> ranks{rank("0", 1), rank("1", 1), rank("2", 1), rank("3", 1)};
  EXPECT_TRUE(fits(ranks, 0));
  EXPECT_FALSE(fits(ranks, 1)) << "an extra thread per rank would share its core";
}

TEST(CoreOwnership, UnboundRanksShareAllCores) {
  EXPECT_TRUE(fits(std::vector{rank("0-3", 1), rank("0-3", 1)}, 0));
  EXPECT_TRUE(fits(std::vector{rank("0-3", 1), rank("0-3", 1)}, 1));
  EXPECT_FALSE(fits(std::vector{rank("0-3", 3), rank("0-3", 2)}, 0));
}

TEST(CoreOwnership, ThreadsOfARankBoundToOneCoreShareIt) {
  // By default Open MPI binds each of two ranks to one core, although the node has free cores.
  EXPECT_FALSE(fits(std::vector{rank("0", 2), rank("1", 2)}, 0));
}

TEST(CoreOwnership, OverlappingMasksAreCheckedTogether) {
  // Each rank fits its own mask, but two ranks do not fit the union of their masks.
  EXPECT_TRUE(fits(std::vector{rank("0-1", 1), rank("1-2", 1), rank("0-2", 1)}, 0));
  EXPECT_FALSE(fits(std::vector{rank("0-1", 2), rank("1-2", 2)}, 0));
}

TEST(CoreOwnership, CpuTimeOfTheControlGroupIsSharedByAllRanks) {
  EXPECT_TRUE(fits(std::vector{rank("0-15", 1, 2), rank("0-15", 1, 2)}, 0));
  EXPECT_FALSE(fits(std::vector{rank("0-15", 1, 2), rank("0-15", 1, 2)}, 1));
  EXPECT_FALSE(fits(std::vector{rank("0-15", 1, 1.5), rank("0-15", 1, 1.5)}, 0));
}

TEST(CoreOwnership, TheFullestNodeDecidesForAll) {
  const std::vector<RankCores> ranks{rank("0-3", 2), rank("0-3", 2), rank("0-1", 2),
                                     rank("0-1", 2)};
  const std::vector<int> nodes{0, 0, 1, 1};
  const plait::solve::NodeCores known = plait::solve::node_cores(ranks, nodes);
  EXPECT_FALSE(known.team_fits);
  EXPECT_FALSE(known.team_and_one_fit);
  EXPECT_EQ(known.ranks, 2);
  EXPECT_EQ(known.threads, 4);
  EXPECT_EQ(known.cores, 4);
}

TEST(CoreOwnership, ThisProcessHasSomewhereToRun) {
  const RankCores here = plait::solve::cores_of_process(2);
  EXPECT_GE(here.cpus.count(), 1);
  EXPECT_EQ(here.threads, 2);
}

}  // namespace
