// SPDX-License-Identifier: BSD-3-Clause
// The job that launchers describe in variables.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "preload/transport/job.hpp"

namespace plait::preload::provider {
namespace {

std::map<std::string, std::string> variables;

const char* variable(const char* name) {
  const auto found = variables.find(name);
  return found == variables.end() ? nullptr : found->second.c_str();
}

Job job_with(std::map<std::string, std::string> set) {
  variables = std::move(set);
  return job_of(variable);
}

TEST(TransportJob, OfOpenMpi) {
  const Job job = job_with({{"OMPI_COMM_WORLD_SIZE", "8"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "8"},
                            {"PMIX_NAMESPACE", "prterun-node/1@2"}});
  EXPECT_EQ(job.ranks, 8u);
  EXPECT_EQ(job.local_ranks, 8u);
  EXPECT_EQ(job.key, "prterun-node_1_2");
  EXPECT_EQ(refusal_of(job), "");
}

TEST(TransportJob, OnSeveralNodesIsRefused) {
  const Job job = job_with({{"OMPI_COMM_WORLD_SIZE", "8"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}});
  EXPECT_EQ(refusal_of(job), "not all ranks are on one node");
  EXPECT_EQ(refusal_of(job_with({{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_STEP_NUM_NODES", "2"}})),
            "not all ranks are on one node");
  EXPECT_EQ(refusal_of(job_with({{"SLURM_STEP_NUM_TASKS", "2"}, {"SLURM_STEP_NUM_NODES", "1"}})),
            "");
}

TEST(TransportJob, OfHydraIsDistinguishedByTheLauncher) {
  const Job job = job_with({{"PMI_SIZE", "2"}, {"MPI_LOCALNRANKS", "2"}});
  EXPECT_EQ(job.ranks, 2u);
  EXPECT_FALSE(job.key.empty());
}

TEST(TransportJob, OfSlurmWithPmi2) {
  EXPECT_EQ(refusal_of(job_with({{"PMI_SIZE", "4"}, {"SLURM_STEP_NUM_NODES", "1"}})), "");
  EXPECT_NE(refusal_of(job_with({{"PMI_SIZE", "4"}, {"SLURM_STEP_NUM_NODES", "2"}})), "");
}

TEST(TransportJob, WithoutALauncherIsRefused) {
  EXPECT_EQ(job_with({}).ranks, 0u);
  EXPECT_NE(refusal_of({}), "");
}

TEST(TransportJob, OfTooManyRanksIsRefused) {
  EXPECT_EQ(refusal_of({5000, 5000, "x"}), "more than 1024 ranks");
}

}  // namespace
}  // namespace plait::preload::provider
