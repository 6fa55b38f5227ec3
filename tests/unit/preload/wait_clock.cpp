// SPDX-License-Identifier: BSD-3-Clause
// Tests of the files from which threads read how long they waited: they are never the program's.
#include "preload/wait_clock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
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

class WaitClocks : public ::testing::Test {
protected:
  void SetUp() override {
    if (!fs::exists("/proc/self/schedstat")) GTEST_SKIP() << "this kernel keeps no such times";
    header_.ticks_per_s = 1e9;
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

}  // namespace
}  // namespace plait::preload
