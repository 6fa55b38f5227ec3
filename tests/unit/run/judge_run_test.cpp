// SPDX-License-Identifier: BSD-3-Clause
// Records become a placement, a judgement and a fixed command.
#include "run/judge_run.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/json_file.hpp"
#include "machine/discover.hpp"

namespace plait::run {
namespace {

trace::RankRecord record(int rank, int pid) {
  trace::RankRecord result;
  result.world_rank = rank;
  result.pid = pid;
  result.host = "n0";
  result.abi = PLAIT_ABI_OPENMPI;
  result.openmp_view = PLAIT_OPENMP_GOMP;
  result.library = "Open MPI v4.1.4";
  return result;
}

void add_thread(trace::RankRecord& to, plait_placement_phase phase, int tid, int thread,
                const std::vector<int>& allowed) {
  trace::PlacementSample sample;
  sample.phase = phase;
  sample.tid = tid;
  sample.thread = thread;
  sample.allowed = allowed;
  to.placement.push_back(sample);
}

const machine::MachineFile kNode = machine::discover_synthetic("pack:1 [numa] core:2 pu:1");
const std::vector<std::string> kCommand{"mpiexec", "-n", "1", "./app"};

TEST(JudgeRun, ThreadsAfterTheFirstRegionCountHelpersDoNot) {
  trace::RankRecord rank = record(0, 10);
  add_thread(rank, PLAIT_PHASE_INIT, 10, -1, {0});
  add_thread(rank, PLAIT_PHASE_INIT, 11, -1, {0, 1});
  EXPECT_EQ(placement_of({rank}, kNode, kCommand).ranks.at(0).threads.size(), 1U);
  EXPECT_EQ(placement_of({rank}, kNode, kCommand).ranks.at(0).threads_wanted, 1);
  add_thread(rank, PLAIT_PHASE_AFTER_PARALLEL, 10, 0, {0});
  add_thread(rank, PLAIT_PHASE_AFTER_PARALLEL, 12, 1, {0});
  const RunJudgement judgement =
      judge_run({rank}, kNode, {launcher::LauncherKind::openmpi4, "4.1.4", "", ""}, kCommand);
  ASSERT_EQ(judgement.findings.size(), 1U);
  EXPECT_EQ(judgement.findings[0].finding.id, "threads_on_one_core");
  EXPECT_EQ(judgement.findings[0].fix, "mpiexec --map-by slot:PE=2 --bind-to core ...");
  EXPECT_EQ(judgement.findings[0].fixed_command,
            (std::vector<std::string>{"mpiexec", "--map-by", "slot:PE=2", "--bind-to", "core", "-n",
                                      "1", "./app"}));
}

TEST(JudgeRun, WithinALauncherThereIsNoCommandToFix) {
  trace::RankRecord rank = record(0, 10);
  add_thread(rank, PLAIT_PHASE_AFTER_PARALLEL, 10, 0, {0});
  add_thread(rank, PLAIT_PHASE_AFTER_PARALLEL, 12, 1, {0});
  const RunJudgement judgement =
      judge_run({rank}, kNode, {launcher::LauncherKind::slurm, "", "", ""}, {"./app", "x"});
  ASSERT_EQ(judgement.findings.size(), 1U);
  EXPECT_EQ(judgement.findings[0].fix, "srun --cpus-per-task=2 --cpu-bind=cores ...");
  EXPECT_TRUE(judgement.findings[0].fixed_command.empty());
}

TEST(JudgeRun, ARuntimeThatStartsNoRegionIsNoFault) {
  trace::RankRecord rank = record(0, 10);
  rank.omp_max_threads = 8;
  add_thread(rank, PLAIT_PHASE_INIT, 10, -1, {0});
  EXPECT_EQ(placement_of({rank}, kNode, kCommand).ranks.at(0).threads_wanted, 1);
  rank.openmp_view = PLAIT_OPENMP_BLIND;
  EXPECT_EQ(placement_of({rank}, kNode, kCommand).ranks.at(0).threads_wanted, 8);
}

TEST(JudgeRun, HelperProcessesAreLeftOut) {
  trace::RankRecord rank = record(0, 10);
  trace::RankRecord helper = record(-1, 9);
  add_thread(rank, PLAIT_PHASE_INIT, 10, -1, {0});
  add_thread(helper, PLAIT_PHASE_INIT, 9, -1, {0, 1});
  EXPECT_EQ(placement_of({rank, helper}, kNode, kCommand).ranks.size(), 1U);
  EXPECT_EQ(placement_of({helper}, kNode, kCommand).ranks.size(), 1U);
}

TEST(JudgeRun, CpuWaitIsTheDifferenceOfTwoLooks) {
  trace::RankRecord rank = record(0, 10);
  add_thread(rank, PLAIT_PHASE_INIT, 10, -1, {0});
  rank.cpu_wait = {{10, false, 0.1, 1.0, 0.5, 0, 0}, {10, true, 2.0, 4.0, 1.5, 0, 0}};
  const placement::RankPlace place = placement_of({rank}, kNode, kCommand).ranks.at(0);
  EXPECT_DOUBLE_EQ(place.cpu_s.value_or(0), 3.0);
  EXPECT_DOUBLE_EQ(place.cpu_wait_s.value_or(0), 1.0);
}

TEST(JudgeRun, DeclaredOversubscriptionYieldsUnderOpenMpi) {
  trace::RankRecord rank = record(0, 10);
  add_thread(rank, PLAIT_PHASE_INIT, 10, -1, {0});
  const auto waiting = [&](const std::vector<std::string>& command) {
    return placement_of({rank}, kNode, command).ranks.at(0).waiting;
  };
  EXPECT_EQ(waiting(kCommand), placement::Waiting::spins);
  EXPECT_EQ(waiting({"mpiexec", "--oversubscribe", "-n", "1", "./app"}),
            placement::Waiting::yields);
  EXPECT_EQ(waiting({"mpiexec", "--map-by", "core:OVERSUBSCRIBE", "./app"}),
            placement::Waiting::yields);
  rank.mpi_yields = 0;
  EXPECT_EQ(waiting({"mpiexec", "--oversubscribe", "-n", "1", "./app"}), placement::Waiting::spins);
}

TEST(JudgeRun, AnEmulatedNodeHasOnlyItsOwnCores) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("cluster-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  write_text_file(folder / "cluster.json",
                  R"({"schema": "plait-cluster", "schema_version": 1, "clusters": [{"nodes": [
                      {"name": "n0", "pus": [0]}, {"name": "n1", "pus": [1]}]}]})");
  trace::RankRecord a = record(0, 10);
  trace::RankRecord b = record(1, 20);
  add_thread(a, PLAIT_PHASE_INIT, 10, -1, {0});
  add_thread(b, PLAIT_PHASE_INIT, 20, -1, {0});
  EXPECT_EQ(judge_run({a, b}, kNode, {}, kCommand).findings.at(0).finding.id, "ranks_overlap");
  ::setenv("PLAIT_CLUSTER", folder.c_str(), 1);
  const RunJudgement judgement = judge_run({a, b}, kNode, {}, kCommand);
  const placement::PlacementInput input = placement_of({a, b}, kNode, kCommand);
  ::unsetenv("PLAIT_CLUSTER");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(input.hosts.at(0).topology.allowed_cores(), std::vector<int>{0});
  ASSERT_FALSE(judgement.findings.empty());
  EXPECT_EQ(judgement.findings[0].finding.id.substr(0, 14), "oversubscribed");
}

TEST(JudgeRun, OurOwnRanksAreNotForeign) {
  trace::RankRecord a = record(0, 10);
  trace::RankRecord b = record(1, 20);
  add_thread(a, PLAIT_PHASE_INIT, 10, -1, {0});
  add_thread(b, PLAIT_PHASE_INIT, 20, -1, {1});
  trace::ForeignProcess other;
  other.pid = 20;
  a.foreign.push_back(other);
  other.pid = 99;
  other.allowed = {0};
  a.foreign.push_back(other);
  b.foreign.push_back(other);
  const placement::PlacementInput input = placement_of({a, b}, kNode, kCommand);
  ASSERT_EQ(input.foreign.size(), 1U);
  EXPECT_EQ(input.foreign[0].pid, 99);
}

}  // namespace
}  // namespace plait::run
