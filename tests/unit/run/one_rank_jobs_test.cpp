// SPDX-License-Identifier: BSD-3-Clause
// Many jobs of one rank instead of one job of many ranks are found, and only these.
#include <gtest/gtest.h>

#include "run/judge_run.hpp"

namespace plait::run {
namespace {

using Argv = std::vector<std::string>;

const launcher::Launcher kSrun{launcher::LauncherKind::slurm, "22.05.8", "srun", ""};

/// Records of processes that are each rank 0 of 1, started this many seconds apart.
std::vector<trace::RankRecord> alone(int count, double apart_s) {
  std::vector<trace::RankRecord> records;
  for (int i = 0; i < count; ++i) {
    trace::RankRecord& record = records.emplace_back();
    record.world_rank = 0;
    record.world_size = 1;
    record.abi = PLAIT_ABI_MPICH;
    record.library = "MPICH Version: 4.0.2";
    record.start_unix_s = 1000 + i * apart_s;
    record.last_s = 2;
  }
  return records;
}

TEST(OneRankJobs, of_srun_are_fixed_by_the_type_that_the_library_knows) {
  const Argv command{"env", "A=b", "srun", "--mpi=none", "-n", "3", "./app", "x"};
  const auto found = one_rank_jobs(alone(3, 5), kSrun, command);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->finding.what, "3 processes ran as 3 jobs of one rank each");
  EXPECT_EQ(found->fixed_command,
            (Argv{"env", "A=b", "srun", "--mpi=pmi2", "-n", "3", "./app", "x"}));
}

TEST(OneRankJobs, of_another_mpis_launcher_need_their_own) {
  const launcher::Launcher open_mpi{launcher::LauncherKind::openmpi4, "4.1.4", "mpiexec", ""};
  const auto found = one_rank_jobs(alone(2, 0), open_mpi, {"mpiexec", "-n", "2", "./app"});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->fixed_command.empty());
  EXPECT_NE(found->fix.find("plait doctor"), std::string::npos);
}

TEST(OneRankJobs, are_none_where_the_command_means_them) {
  EXPECT_FALSE(one_rank_jobs(alone(1, 0), kSrun, {"srun", "-n", "1", "./app"}));
  EXPECT_FALSE(one_rank_jobs(alone(3, 0), kSrun, {"srun", "-n", "1", "./loop"}))
      << "a script that runs one after the other";
  EXPECT_FALSE(one_rank_jobs(alone(3, 0), {}, {"./loop"})) << "no launcher";
  std::vector<trace::RankRecord> job = alone(2, 0);
  for (trace::RankRecord& record : job) record.world_size = 2;
  EXPECT_FALSE(one_rank_jobs(job, kSrun, {"srun", "-n", "2", "./app"}));
}

TEST(OneRankJobs, of_unsaid_number_are_those_that_run_at_once) {
  EXPECT_TRUE(one_rank_jobs(alone(3, 0.5), kSrun, {"srun", "./app"}));
  const auto inside = one_rank_jobs(alone(3, 0.5), kSrun, {"./app", "x"});
  ASSERT_TRUE(inside) << "srun plait run ./app x";
  EXPECT_TRUE(inside->fixed_command.empty());
  EXPECT_FALSE(one_rank_jobs(alone(3, 2.5), kSrun, {"srun", "./app"}));
}

}  // namespace
}  // namespace plait::run
