// SPDX-License-Identifier: BSD-3-Clause
// Tests of how long threads waited for a CPU, and of the files from which they read it: those are
// never the program's.
#include "preload/wait_clock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "preload/recorder.hpp"

namespace plait::preload {
namespace {

namespace fs = std::filesystem;

std::vector<int> schedstat_files() {
  std::vector<int> files;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = fs::read_symlink(entry.path(), gone).string();
    if (target.ends_with("/schedstat")) files.push_back(std::stoi(entry.path().filename()));
  }
  return files;
}

std::uint64_t waited_ns() {
  std::uint64_t on_cpu = 0, waited = 0;
  std::ifstream("/proc/thread-self/schedstat") >> on_cpu >> waited;
  return waited;
}

double ticks_per_s() {
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t first = now_ticks();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::uint64_t ticks = now_ticks() - first;
  return static_cast<double>(ticks) /
         std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void stay_on_first_cpu() {
  cpu_set_t cpus;
  ASSERT_EQ(sched_getaffinity(0, sizeof cpus, &cpus), 0);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &cpus)) ++cpu;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  ASSERT_EQ(sched_setaffinity(0, sizeof cpus, &cpus), 0);
}

class WaitClocks : public ::testing::Test {
protected:
  void SetUp() override {
    if (!fs::exists("/proc/self/schedstat")) GTEST_SKIP() << "this kernel keeps no such times";
    header_.ticks_per_s = ticks_per_s();
    record = &header_;
    start_reading_waits();
  }
  void TearDown() override {
    stop_reading_waits();
    record = nullptr;
  }

  static plait_record_header header_;
};
plait_record_header WaitClocks::header_;

TEST_F(WaitClocks, AThreadsFileHasAHighNumberAndIsClosedWithIt) {
  std::thread([] {
    WaitClock clock{};
    read_wait(clock, 1);
    ASSERT_EQ(schedstat_files().size(), 1u);
    EXPECT_GE(schedstat_files()[0], 512);
  }).join();
  EXPECT_TRUE(schedstat_files().empty());
}

TEST_F(WaitClocks, AFileOfTheProgramWithThatNumberIsNeitherReadNorClosed) {
  int number = -1;
  std::thread([&] {
    WaitClock clock{};
    read_wait(clock, 1);
    ASSERT_EQ(schedstat_files().size(), 1u);
    number = schedstat_files()[0];
    const int own = open("/dev/null", O_RDONLY);
    ASSERT_EQ(dup2(own, number), number);
    close(own);
    EXPECT_EQ(read_wait(clock, 2), 0u);
  }).join();
  EXPECT_NE(fcntl(number, F_GETFD), -1) << "the program's file was closed";
  close(number);
}

TEST_F(WaitClocks, ManyThreadsLeaveTheProgramItsNumbers) {
  std::vector<std::thread> threads;
  std::atomic<int> reading{0};
  std::atomic<bool> over{false};
  for (int i = 0; i < 100; ++i) {
    threads.emplace_back([&] {
      WaitClock clock{};
      read_wait(clock, 1);
      ++reading;
      while (!over) std::this_thread::yield();
    });
  }
  while (reading < 100) std::this_thread::yield();
  const std::size_t open = schedstat_files().size();
  over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(open, 64u);
  EXPECT_TRUE(schedstat_files().empty());
}

TEST_F(WaitClocks, AWaitAfterTheMomentBelongsToWhatFollows) {
  constexpr std::uint64_t kWait_ns = 2'000'000;
  std::atomic<bool> over{false};
  std::thread rival([&] {
    stay_on_first_cpu();
    while (!over) {
    }
  });
  std::uint64_t following = 0;
  std::thread([&] {
    stay_on_first_cpu();
    WaitClock clock{};
    read_wait(clock, now_ticks());
    const std::uint64_t moment = now_ticks(), before = waited_ns();
    while (waited_ns() - before < kWait_ns) sched_yield();
    read_wait(clock, moment);
    following = read_wait(clock, now_ticks());
  }).join();
  over = true;
  rival.join();
  EXPECT_GE(static_cast<double>(following), 0.9 * kWait_ns * 1e-9 * header_.ticks_per_s);
}

}  // namespace
}  // namespace plait::preload
