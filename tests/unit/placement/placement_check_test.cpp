// SPDX-License-Identifier: BSD-3-Clause
// Checks of placements on synthetic machines.
#include "placement/placement_check.hpp"

#include <gtest/gtest.h>

#include "machine/discover.hpp"
#include "placement/check_text.hpp"
#include "placement/threads_at_once.hpp"

namespace plait::placement {
namespace {

using machine::CpuSet;

/// A rank whose threads have the given masks ("0-1").
RankPlace rank_on(int rank, const std::vector<std::string>& masks,
                  Waiting waiting = Waiting::spins) {
  RankPlace place;
  place.rank = rank;
  place.threads_wanted = static_cast<int>(masks.size());
  place.after_parallel = true;
  place.waiting = waiting;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    place.threads.push_back({static_cast<int>(i), 100 + rank, CpuSet::parse(masks[i])});
  }
  return place;
}

PlacementInput on(const std::string& synthetic, std::vector<RankPlace> ranks) {
  PlacementInput input;
  input.hosts.push_back({"n0", machine::discover_synthetic(synthetic).topology});
  input.ranks = std::move(ranks);
  return input;
}

std::vector<std::string> ids(const PlacementInput& input) {
  std::vector<std::string> result;
  for (const PlacementFinding& finding : judge_placement(input).findings) {
    result.push_back(finding.id);
  }
  return result;
}

using Ids = std::vector<std::string>;
const std::string kTwoCores = "pack:1 [numa] core:2 pu:1";
const std::string kTwoCoresSmt = "pack:1 [numa] core:2 pu:2";
const std::string kTwoPackages = "pack:2 [numa] core:8 pu:1";

TEST(Placement, ThreadsThatHaveACoreEachAreFine) {
  EXPECT_EQ(ids(on(kTwoCores, {rank_on(0, {"0-1", "0-1"})})), Ids{});
  EXPECT_EQ(ids(on(kTwoCores, {rank_on(0, {"0", "1"})})), Ids{});
  EXPECT_EQ(ids(on(kTwoCores, {rank_on(0, {"0"}), rank_on(1, {"1"})})), Ids{});
}

TEST(Placement, AllThreadsOnOneCoreIsFoundWithEvidenceAndCost) {
  const auto judgement = judge_placement(on(kTwoCores, {rank_on(0, {"0", "0"})}));
  ASSERT_EQ(judgement.findings.size(), 1U);
  const PlacementFinding& finding = judgement.findings.front();
  EXPECT_EQ(finding.id, "threads_on_one_core");
  EXPECT_EQ(finding.severity, "high");
  EXPECT_EQ(finding.what, "all 2 threads of rank 0 run on one core");
  EXPECT_EQ(finding.evidence, "n0: rank 0: 2 threads, allowed CPUs 0");
  EXPECT_EQ(finding.cost, "parallel parts run at 1/2 of their speed at best");
  EXPECT_TRUE(finding.fits());
  EXPECT_EQ(judgement.sentence,
            "1 rank x 2 threads on 2 cores: all 2 threads of rank 0 run on one core");
}

TEST(Placement, ThreadsNotStartedYetInheritTheMask) {
  PlacementInput input = on(kTwoCores, {rank_on(0, {"0"})});
  input.ranks[0].threads_wanted = 2;
  EXPECT_EQ(ids(input), Ids{"threads_on_one_core"});
}

TEST(Placement, TwoRanksWithTwoThreadsDoNotFitOnTwoCores) {
  const auto judgement =
      judge_placement(on(kTwoCores, {rank_on(0, {"0", "0"}), rank_on(1, {"1", "1"})}));
  ASSERT_EQ(judgement.findings.size(), 1U);
  EXPECT_EQ(judgement.findings[0].id, "threads_on_one_core");
  EXPECT_FALSE(judgement.findings[0].fits());
  EXPECT_NE(judgement.findings[0].evidence.find("no placement gives each its own core"),
            std::string::npos);
}

TEST(Placement, MeasuredWaitingIsReported) {
  PlacementInput input = on(kTwoCores, {rank_on(0, {"0", "0"})});
  input.ranks[0].cpu_s = 3;
  input.ranks[0].cpu_wait_s = 1;
  EXPECT_NE(judge_placement(input).findings[0].cost.find(
                "measured: 25 % of their runnable time was spent waiting for a CPU"),
            std::string::npos);
}

TEST(Placement, RanksOnTheSameCoreWhileOthersAreIdleOverlap) {
  const auto judgement = judge_placement(on(kTwoCores, {rank_on(0, {"0"}), rank_on(1, {"0"})}));
  ASSERT_EQ(judgement.findings.size(), 1U);
  EXPECT_EQ(judgement.findings[0].id, "ranks_overlap");
  EXPECT_EQ(judgement.findings[0].what, "ranks 0 and 1 share cores while other cores idle");
  EXPECT_EQ(judgement.findings[0].evidence,
            "n0: both may run on CPUs 0; only 1 of 2 threads can run at once on 2 allowed cores");
}

TEST(Placement, ThreadsBoundOneByOneMayStillCollideAcrossRanks) {
  // MPICH without binding, OMP_PROC_BIND=close: thread i of every rank on core i.
  EXPECT_EQ(ids(on("pack:1 [numa] core:4 pu:1", {rank_on(0, {"0", "1"}), rank_on(1, {"0", "1"})})),
            Ids{"ranks_overlap"});
}

TEST(Placement, MoreRanksThanCoresThatSpinAreSevere) {
  const std::vector<RankPlace> ranks{rank_on(0, {"0-1"}), rank_on(1, {"0-1"}), rank_on(2, {"0-1"})};
  const auto judgement = judge_placement(on(kTwoCores, ranks));
  ASSERT_EQ(judgement.findings.size(), 1U);
  EXPECT_EQ(judgement.findings[0].id, "oversubscribed_spin");
  EXPECT_EQ(judgement.findings[0].severity, "high");
  EXPECT_EQ(judgement.findings[0].what, "3 threads compete for 2 cores; MPI spins while waiting");
  EXPECT_EQ(judgement.findings[0].evidence,
            "n0: 3 ranks with 3 runnable threads, allowed CPUs 0-1");
}

TEST(Placement, OversubscriptionThatYieldsIsADifferentFinding) {
  std::vector<RankPlace> ranks;
  for (int rank = 0; rank < 3; ++rank) ranks.push_back(rank_on(rank, {"0-1"}, Waiting::yields));
  EXPECT_EQ(ids(on(kTwoCores, ranks)), Ids{"oversubscribed"});
}

TEST(Placement, HardwareThreadsAreNotOversubscription) {
  std::vector<RankPlace> ranks;
  for (int rank = 0; rank < 4; ++rank) ranks.push_back(rank_on(rank, {std::to_string(rank)}));
  EXPECT_EQ(ids(on(kTwoCoresSmt, ranks)), Ids{});
}

TEST(Placement, TwoThreadsOnTheHardwareThreadsOfOneCoreLeaveTheOtherIdle) {
  const machine::Topology smt = machine::discover_synthetic(kTwoCoresSmt).topology;
  const std::string core0 = smt.pus_of({0}).format();
  EXPECT_EQ(ids(on(kTwoCoresSmt, {rank_on(0, {core0, core0})})), Ids{"threads_on_one_core"});
}

TEST(Placement, QuotaBelowTheThreadsIsFound) {
  PlacementInput input = on(kTwoCores, {rank_on(0, {"0-1", "0-1"})});
  input.hosts[0].topology.cgroup_quota_cores = 1.5;
  const auto judgement = judge_placement(input);
  ASSERT_EQ(judgement.findings.size(), 1U);
  EXPECT_EQ(judgement.findings[0].id, "quota_below_cores");
  EXPECT_EQ(judgement.findings[0].what, "the cgroup quota is 1.5 cores for 2 threads");
  EXPECT_EQ(judgement.findings[0].cores, 1);
  EXPECT_NE(judgement.findings[0].cost.find("75 %"), std::string::npos);
}

TEST(Placement, BusyForeignProcessesOnOurCoresAreFoundIdleOnesAreNot) {
  PlacementInput input = on(kTwoCores, {rank_on(0, {"0"})});
  input.foreign.push_back({0, 77, "lmp", CpuSet::parse("0"), 0.9});
  const auto judgement = judge_placement(input);
  ASSERT_EQ(judgement.findings.size(), 1U);
  EXPECT_EQ(judgement.findings[0].id, "foreign_processes");
  EXPECT_EQ(judgement.findings[0].free_cpus.format(), "1");
  EXPECT_EQ(judgement.findings[0].what, "a process of another job shares the ranks' cores");
  EXPECT_EQ(judgement.findings[0].evidence,
            "n0: lmp (pid 77) may run on CPUs 0, the ranks on 0; it used 90 % of a core");
  input.foreign[0].cpu_share = 0.01;
  EXPECT_EQ(ids(input), Ids{});
  input.foreign[0].cpu_share = 0.9;
  input.foreign[0].allowed = CpuSet::parse("1");
  EXPECT_EQ(ids(input), Ids{});
}

TEST(Placement, UnboundRanksAreOnlyMentioned) {
  const auto judgement =
      judge_placement(on("pack:1 [numa] core:4 pu:1", {rank_on(0, {"0-3"}), rank_on(1, {"0-3"})}));
  ASSERT_EQ(judgement.findings.size(), 1U);
  EXPECT_EQ(judgement.findings[0].id, "unbound_threads_float");
  EXPECT_EQ(judgement.findings[0].severity, "low");
  EXPECT_EQ(judgement.sentence,
            "2 ranks x 1 thread on 4 cores: each thread can have its own core; ranks are not bound "
            "and may move between cores");
}

TEST(Placement, ThreadsThatSpanNumaDomainsAreMentioned) {
  const std::vector<std::string> masks(16, "0-15");
  const auto judgement = judge_placement(on(kTwoPackages, {rank_on(0, masks)}));
  ASSERT_EQ(judgement.findings.size(), 1U);
  EXPECT_NE(judgement.findings[0].what.find("NUMA"), std::string::npos);
}

TEST(Placement, SixtyFourRanksWithFourThreadsEachAreFine) {
  std::vector<RankPlace> ranks;
  for (int rank = 0; rank < 32; ++rank) {
    const std::string mask = std::to_string(4 * rank) + "-" + std::to_string(4 * rank + 3);
    ranks.push_back(rank_on(rank, {mask, mask, mask, mask}));
  }
  const auto judgement = judge_placement(on("pack:2 [numa] core:64 pu:1", ranks));
  EXPECT_TRUE(judgement.findings.empty());
  EXPECT_EQ(judgement.sentence,
            "32 ranks x 4 threads on 128 cores: each thread can have its own core");
}

TEST(Placement, AlikeHostsAreReportedOnce) {
  PlacementInput input = on(kTwoCores, {rank_on(0, {"0", "0"})});
  input.hosts.push_back({"n1", input.hosts[0].topology});
  input.ranks.push_back(rank_on(1, {"0", "0"}));
  input.ranks.back().host = 1;
  EXPECT_EQ(ids(input), Ids{"threads_on_one_core"});
}

TEST(Placement, ThreadsAtOnceIsAMaximumMatching) {
  const machine::Topology four = machine::discover_synthetic("pack:1 [numa] core:4 pu:1").topology;
  const auto masks = [](const std::vector<std::string>& texts) {
    std::vector<CpuSet> sets;
    for (const std::string& text : texts) sets.push_back(CpuSet::parse(text));
    return sets;
  };
  EXPECT_EQ(threads_at_once(four, masks({"0-1", "0", "1-2"}), true), 3);
  EXPECT_EQ(threads_at_once(four, masks({"0", "0", "0-3"}), true), 2);
  EXPECT_EQ(threads_at_once(four, {}, true), 0);
}

TEST(Placement, TableListsEveryThread) {
  EXPECT_EQ(check_table(on(kTwoPackages, {rank_on(0, {"0", "8-15"}), rank_on(3, {"1"})})),
            "host  rank  thread  core  NUMA  cpus\n"
            "n0       0       0  0     0     0\n"
            "n0       0       1  8-15  1     8-15\n"
            "n0       3       0  1     0     1\n");
}

TEST(Placement, TableNamesTheProgramsOfAJobWithSeveral) {
  RankPlace ocean = rank_on(0, {"0"}), ice = rank_on(1, {"1"});
  ocean.program = "ocean";
  ice.program = "ice";
  EXPECT_EQ(check_table(on(kTwoPackages, {ocean, ice})),
            "host  part   rank  thread  core  NUMA  cpus\n"
            "n0    ocean     0       0  0     0     0\n"
            "n0    ice       1       0  1     0     1\n");
}

}  // namespace
}  // namespace plait::placement
