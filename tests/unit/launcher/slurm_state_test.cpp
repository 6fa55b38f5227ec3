// SPDX-License-Identifier: BSD-3-Clause
// What plait doctor reports about Slurm, with stand-ins for Slurm's commands.
#include "launcher/slurm_state.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/json.hpp"

namespace plait::launcher {
namespace {

namespace fs = std::filesystem;

/// A PATH that contains only the commands that a test makes.
class SlurmStateTest : public testing::Test {
protected:
  void SetUp() override {
    fs::create_directory(folder_);
    setenv("PATH", folder_.c_str(), 1);
    unsetenv("SLURM_JOB_ID");
  }
  void TearDown() override {
    fs::remove_all(folder_);
    setenv("PATH", path_.c_str(), 1);
    unsetenv("SLURM_JOB_ID");
    unsetenv("SLURM_JOB_NODELIST");
  }
  void command(const std::string& name, const std::string& script) const {
    std::ofstream(folder_ / name) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }

private:
  fs::path folder_ = fs::path(testing::TempDir()) / ("plait-slurm-" + std::to_string(getpid()));
  std::string path_ = std::getenv("PATH");
};

TEST_F(SlurmStateTest, there_is_none) {
  EXPECT_FALSE(find_slurm());
  EXPECT_EQ(slurm_text(find_slurm()), "none: neither srun nor sbatch in PATH");
  EXPECT_TRUE(slurm_to_json(find_slurm()).is_null());
}

TEST_F(SlurmStateTest, a_controller_answers_in_a_job) {
  command("srun", "echo slurm-wlm 22.05.8");
  command("sbatch", "");
  command("scontrol",
          "echo 'Slurmctld(primary) at a is DOWN'; echo 'Slurmctld(backup) at head is UP'");
  setenv("SLURM_JOB_ID", "12", 1);
  setenv("SLURM_JOB_NODELIST", "n[0-1]", 1);
  const auto slurm = find_slurm();
  ASSERT_TRUE(slurm);
  EXPECT_EQ(slurm_text(slurm),
            "22.05.8, srun and sbatch; slurmctld answers on head; Slurm job 12: 2 nodes");
  const nlohmann::json json = slurm_to_json(slurm);
  EXPECT_EQ(json["reachable"], true);
  EXPECT_EQ(json["job"]["nodes"][1]["name"], "n1");
}

TEST_F(SlurmStateTest, a_fatal_error_is_reported) {
  command("sbatch", "exit 1");
  command("scontrol",
          "echo 'scontrol: error: fetch_config: DNS SRV lookup failed' >&2\n"
          "echo 'scontrol: fatal: Could not establish a configuration source' >&2; exit 1");
  EXPECT_EQ(slurm_text(find_slurm()),
            "sbatch without srun; no slurmctld answers (Could not establish a configuration "
            "source)");
}

TEST_F(SlurmStateTest, a_controller_that_is_gone_is_not_waited_for) {
  command("srun", "echo slurm 24.11.0");
  command("scontrol", "while :; do :; done");
  EXPECT_EQ(slurm_text(find_slurm(std::chrono::milliseconds(400))),
            "24.11.0, srun without sbatch; no slurmctld answers (no answer in 400 ms)");
}

TEST_F(SlurmStateTest, an_unreadable_job_is_reported) {
  command("srun", "");
  setenv("SLURM_JOB_ID", "12", 1);
  setenv("SLURM_JOB_NODELIST", "n[0-", 1);
  const auto slurm = find_slurm();
  ASSERT_TRUE(slurm);
  EXPECT_NE(slurm->problem.find("SLURM_JOB_NODELIST"), std::string::npos);
}

}  // namespace
}  // namespace plait::launcher
