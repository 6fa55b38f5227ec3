// SPDX-License-Identifier: BSD-3-Clause
// Tests of control groups on made-up trees, and of the readers of /proc.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "preload/cpu_wait/cpu_use.hpp"
#include "preload/placement/cgroup.hpp"
#include "preload/placement/proc_files.hpp"
#include "trace/record_format.h"

namespace plait::preload {
namespace {

class ControlGroups : public ::testing::Test {
protected:
  void SetUp() override {
    root_ =
        std::filesystem::path(::testing::TempDir()) / ("plait-cgroup-" + std::to_string(getpid()));
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  [[nodiscard]] double quota(const std::string& groups) const {
    write("groups", groups);
    return cgroup_quota_cores((root_ / "groups").c_str(), root_.c_str());
  }

  [[nodiscard]] std::uint64_t throttled_ns(const std::string& groups) const {
    write("groups", groups);
    return cgroup_throttled_ns((root_ / "groups").c_str(), root_.c_str());
  }

  std::filesystem::path root_;
};

TEST_F(ControlGroups, ThatWereStoppedSayForHowLong) {
  write("job/cpu.stat", "usage_usec 9\nnr_throttled 4\nthrottled_usec 2500\n");
  write("job/step/cpu.stat", "usage_usec 9\nnr_throttled 1\nthrottled_usec 300\n");
  EXPECT_EQ(throttled_ns("0::/job/step\n"), 2'500'000u) << "the one that was stopped longest";
  write("cpu/docker/cpu.stat", "nr_periods 7\nnr_throttled 2\nthrottled_time 8000000\n");
  EXPECT_EQ(throttled_ns("5:cpu,cpuacct:/docker\n0::/\n"), 8'000'000u);
  EXPECT_EQ(throttled_ns("5:cpuset:/docker\n"), 0u);
}

TEST_F(ControlGroups, TheSmallestMemoryLimitCounts) {
  const auto limit = [&](const std::string& groups) {
    write("groups", groups);
    return cgroup_memory_limit((root_ / "groups").c_str(), root_.c_str());
  };
  write("job/memory.max", "4294967296\n");
  write("job/step/memory.max", "max\n");
  EXPECT_EQ(limit("0::/job/step\n"), 4294967296u);
  write("job/step/memory.max", "1048576\n");
  EXPECT_EQ(limit("0::/job/step\n"), 1048576u);
  write("memory/docker/memory.limit_in_bytes", "2147483648\n");
  write("memory/memory.limit_in_bytes", "9223372036854771712\n");  // none
  EXPECT_EQ(limit("8:memory:/docker\n5:cpu:/docker\n"), 2147483648u);
  EXPECT_EQ(limit("8:memory:/\n"), 0u);
}

TEST(CpuUse, IsReadForEachCpuOfProcStat) {
  const std::string text =
      "cpu  1683092 476373 555049 233600 8137 0 7258 9958 0 0\n"
      "cpu0 10 20 30 400 50 6 7 80 9 9\n"
      "cpu12 1 0 0 0 0 0 0 0\n"
      "intr 1 2 3\n";
  const std::uint64_t tick_ns = 1'000'000'000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  const char* at = text.c_str();
  CpuUse use{};
  ASSERT_TRUE(next_cpu_use(&at, &use));
  EXPECT_EQ(use.cpu, 0);
  EXPECT_EQ(use.busy_ns, 73 * tick_ns) << "user, nice, system, interrupts; not idle and steal";
  EXPECT_EQ(use.steal_ns, 80 * tick_ns);
  ASSERT_TRUE(next_cpu_use(&at, &use));
  EXPECT_EQ(use.cpu, 12);
  EXPECT_EQ(use.busy_ns, tick_ns);
  EXPECT_FALSE(next_cpu_use(&at, &use));
}

TEST_F(ControlGroups, QuotaOfVersion2IsTheSmallestOnTheWayToTheRoot) {
  write("job/cpu.max", "250000 100000\n");
  write("job/step/cpu.max", "max 100000\n");
  EXPECT_DOUBLE_EQ(quota("0::/job/step\n"), 2.5);
  write("job/step/cpu.max", "50000 100000\n");
  EXPECT_DOUBLE_EQ(quota("0::/job/step\n"), 0.5);
}

TEST_F(ControlGroups, QuotaOfVersion1IsQuotaByPeriod) {
  write("cpu/docker/abc/cpu.cfs_quota_us", "150000\n");
  write("cpu/docker/abc/cpu.cfs_period_us", "100000\n");
  write("cpu/docker/cpu.cfs_quota_us", "-1\n");
  write("cpu/docker/cpu.cfs_period_us", "100000\n");
  EXPECT_DOUBLE_EQ(quota("5:cpu,cpuacct:/docker/abc\n3:cpuset:/docker/abc\n0::/\n"), 1.5);
  EXPECT_DOUBLE_EQ(quota("5:cpuacct,cpu:/docker/abc\n"), 1.5);
  EXPECT_DOUBLE_EQ(quota("5:cpuset:/docker/abc\n"), 0.0);
}

TEST_F(ControlGroups, QuotaOfAContainerThatSeesOnlyItsOwnGroupIsThatOfTheRoot) {
  write("cpu.max", "400000 100000\n");
  EXPECT_DOUBLE_EQ(quota("0::/hidden/outside\n"), 4.0);
}

TEST_F(ControlGroups, QuotaIsNoneWithoutControlGroups) {
  EXPECT_DOUBLE_EQ(quota("0::/\n"), 0.0);
  EXPECT_DOUBLE_EQ(quota("garbage"), 0.0);
  EXPECT_DOUBLE_EQ(cgroup_quota_cores((root_ / "missing").c_str(), root_.c_str()), 0.0);
}

TEST(ProcFiles, FieldsOfAStatLineAreCountedBehindTheName) {
  const char* stat = "12 (a) b (c)) S 1 22 333";
  EXPECT_EQ(std::string(stat_field(stat, 3)).substr(0, 1), "S");
  EXPECT_EQ(std::atoi(stat_field(stat, 4)), 1);
  EXPECT_EQ(std::atoi(stat_field(stat, 6)), 333);
  EXPECT_EQ(stat_field(stat, 7), nullptr);
  EXPECT_EQ(stat_field("", 3), nullptr);
}

TEST(ProcFiles, ThisThreadIsAmongItsProcessThreads) {
  bool found = false;
  ASSERT_TRUE(each_number(
      "/proc/self/task",
      [](int tid, void* data) {
        *static_cast<bool*>(data) |= tid == getpid();
        return true;
      },
      &found));
  EXPECT_TRUE(found);
  EXPECT_FALSE(each_number(
      "/nowhere", [](int, void*) { return true; }, nullptr));
}

TEST(ProcFiles, ALongFileIsCut) {
  char text[8];
  EXPECT_EQ(read_text("/proc/self/stat", text, sizeof text), 7);
  EXPECT_EQ(std::strlen(text), 7u);
  EXPECT_EQ(read_text("/nowhere", text, sizeof text), -1);
}

TEST(ProcFiles, AffinityCountsTheCpusOfItsMask) {
  std::uint64_t mask[PLAIT_MAX_CPUS / 64] = {};
  const int cpus = affinity_of(0, mask);
  int bits = 0;
  for (const auto word : mask) {
    bits += __builtin_popcountll(word);
  }
  EXPECT_EQ(cpus, bits);
  EXPECT_GT(cpus, 0);
}

}  // namespace
}  // namespace plait::preload
