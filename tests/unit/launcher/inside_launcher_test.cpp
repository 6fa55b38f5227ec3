// SPDX-License-Identifier: BSD-3-Clause
// A rank of a running job is recognized by the variables that launchers set.
#include "launcher/inside_launcher.hpp"

#include <gtest/gtest.h>

#include <map>

namespace plait::launcher {
namespace {

std::optional<JobRank> inside(const std::map<std::string, std::string>& environment) {
  return inside_launcher([&](const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  });
}

TEST(InsideLauncher, NothingOutside) {
  EXPECT_FALSE(inside({{"PATH", "/bin"}}));
}

TEST(InsideLauncher, OpenMpi4) {
  const auto job = inside({{"OMPI_COMM_WORLD_RANK", "3"},
                           {"OMPI_COMM_WORLD_SIZE", "4"},
                           {"OMPI_MCA_orte_ess_num_procs", "4"},
                           {"OMPI_MCA_orte_precondition_transports", "a0-5d"},
                           {"PMIX_NAMESPACE", "691470337"},
                           {"PMIX_RANK", "3"}});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->rank, 3);
  EXPECT_EQ(job->size, 4);
  EXPECT_EQ(job->launcher.kind, LauncherKind::openmpi4);
  EXPECT_EQ(job->key, "691470337a0-5d");
}

TEST(InsideLauncher, OpenMpi5) {
  const auto job = inside({{"OMPI_COMM_WORLD_RANK", "0"},
                           {"OMPI_COMM_WORLD_SIZE", "2"},
                           {"PMIX_NAMESPACE", "prterun-n0-17875@1"}});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->launcher.kind, LauncherKind::openmpi5);
  EXPECT_EQ(job->key, "prterun-n0-17875@1");
}

TEST(InsideLauncher, HydraOnOneNodeHasAKeyOnSeveralItHasNone) {
  const auto one = inside({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->launcher.kind, LauncherKind::mpich);
  EXPECT_FALSE(one->key.empty());
  const auto several = inside({{"PMI_RANK", "1"}, {"PMI_SIZE", "4"}, {"MPI_LOCALNRANKS", "2"}});
  ASSERT_TRUE(several);
  EXPECT_TRUE(several->key.empty());
}

TEST(InsideLauncher, IntelMpiHasItsUuid) {
  const auto job = inside({{"PMI_RANK", "1"},
                           {"PMI_SIZE", "4"},
                           {"MPI_LOCALNRANKS", "2"},
                           {"I_MPI_HYDRA_UUID", "ec45"}});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->launcher.kind, LauncherKind::intel);
  EXPECT_EQ(job->key, "ec45");
}

TEST(InsideLauncher, AStepOfSlurm) {
  const auto job = inside({{"SLURM_PROCID", "5"},
                           {"SLURM_STEP_ID", "2"},
                           {"SLURM_JOB_ID", "77"},
                           {"SLURM_STEP_NUM_TASKS", "8"},
                           {"PMI_RANK", "5"}});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->rank, 5);
  EXPECT_EQ(job->size, 8);
  EXPECT_EQ(job->key, "slurm-77-2");
}

TEST(InsideLauncher, ABatchScriptIsOutside) {
  EXPECT_FALSE(inside({{"SLURM_PROCID", "0"}, {"SLURM_JOB_ID", "77"}, {"SLURM_NTASKS", "8"}}));
}

TEST(InsideLauncher, HydraInAnAllocationCountsItsOwnRanks) {
  const auto job = inside({{"SLURM_PROCID", "1"},
                           {"SLURM_STEP_ID", "0"},
                           {"PMI_RANK", "6"},
                           {"PMI_SIZE", "8"},
                           {"MPI_LOCALNRANKS", "4"}});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->rank, 6);
}

}  // namespace
}  // namespace plait::launcher
