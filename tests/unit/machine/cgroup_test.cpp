// SPDX-License-Identifier: BSD-3-Clause
// The CPU quota of control groups, read from folders that replace /sys/fs/cgroup.
#include "machine/cgroup.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace plait::machine {
namespace {

namespace fs = std::filesystem;

class CgroupQuota : public testing::Test {
protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() / ("plait-cgroup-" + std::to_string(::getpid()) + "-" +
                                     testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  std::optional<double> quota(const std::string& membership) {
    write("proc", membership);
    return cgroup_quota_cores(folder_ / "proc", folder_);
  }

  fs::path folder_;
};

TEST_F(CgroupQuota, V2ReadsTheGroupItself) {
  write("job/cpu.max", "250000 100000\n");
  EXPECT_EQ(quota("0::/job\n"), 2.5);
}

TEST_F(CgroupQuota, V2TakesTheSmallestUpToTheRoot) {
  write("a/b/c/cpu.max", "max 100000\n");
  write("a/b/cpu.max", "400000 100000\n");
  write("a/cpu.max", "150000 50000\n");
  EXPECT_EQ(quota("0::/a/b/c\n"), 3.0);
}

TEST_F(CgroupQuota, V2SeesOnlyTheRootFromInsideANamespace) {
  write("cpu.max", "50000 100000\n");
  EXPECT_EQ(quota("0::/../..\n"), 0.5);
  EXPECT_EQ(quota("0::/\n"), 0.5);
}

TEST_F(CgroupQuota, V1ReadsTheCpuController) {
  write("cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "150000\n");
  write("cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
  write("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/\n0::/\n"),
            1.5);
}

TEST_F(CgroupQuota, V1FallsBackToTheMountedRoot) {
  write("cpu/cpu.cfs_quota_us", "800000\n");
  write("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("4:cpu:/docker/not-visible-here\n"), 8.0);
}

TEST_F(CgroupQuota, IsEmptyWithoutALimitOrWithDamagedFiles) {
  EXPECT_EQ(quota("0::/nothing\n"), std::nullopt);
  write("job/cpu.max", "max 100000\n");
  EXPECT_EQ(quota("0::/job\n"), std::nullopt);
  write("job/cpu.max", "rubbish\n");
  EXPECT_EQ(quota("0::/job\nrubbish\n"), std::nullopt);
  write("job/cpu.max", "100000 0\n");
  EXPECT_EQ(quota("0::/job\n"), std::nullopt);
  EXPECT_EQ(cgroup_quota_cores(folder_ / "no-such-file", folder_), std::nullopt);
}

}  // namespace
}  // namespace plait::machine
