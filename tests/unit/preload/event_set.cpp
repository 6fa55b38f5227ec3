// SPDX-License-Identifier: BSD-3-Clause
// Tests of reading events: of software events, and through a page as a processor with counters
// fills it.
#include "preload/counters/event_set.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace plait::preload::counters {
namespace {

constexpr Event kFaults{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0, false};
constexpr Event kClock{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, 0, false};
constexpr Event kNone{4711, 1, 0, 0, false};

void touch(int pages) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* memory =
      static_cast<char*>(mmap(nullptr, page * static_cast<std::size_t>(pages),
                              PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, page * static_cast<std::size_t>(pages), MADV_NOHUGEPAGE);
  for (int i = 0; i < pages; ++i) memory[page * static_cast<std::size_t>(i)] = 1;
  munmap(memory, page * static_cast<std::size_t>(pages));
}

TEST(EventSet, CountsWhatTheThreadDoesBetweenTwoReadings) {
  Event events[] = {kFaults, kClock};
  EventSet set;
  int errors[2];
  open_events(events, 2, &set, errors);
  if (errors[0] == ENOSYS || errors[0] == EACCES) GTEST_SKIP() << "perf_event_open is forbidden";
  ASSERT_EQ(errors[0], 0);
  ASSERT_EQ(errors[1], 0);
  EXPECT_GE(set.files[0] - 1, 512) << "a low number is the program's";
  plait_counter_value before[2], after[2];
  read_events(set, 2, false, before);
  touch(500);
  std::thread([] { touch(20000); }).join();  // not this thread's
  read_events(set, 2, false, after);
  const auto faults = after[0].value - before[0].value;
  EXPECT_GE(faults, 500u);
  EXPECT_LT(faults, 10000u) << "a sanitizer's own are in it";
  EXPECT_GT(after[1].value, before[1].value);
  EXPECT_EQ(after[0].enabled_ns, after[0].running_ns) << "software events are never left out";
  close_events(&set, 2);
  EXPECT_EQ(set.files[0], 0);
}

TEST(EventSet, AnEventThatCannotBeOpenedLeavesTheOthers) {
  Event events[] = {kNone, kFaults, kNone};
  EventSet set;
  int errors[3];
  open_events(events, 3, &set, errors);
  if (errors[1] == ENOSYS || errors[1] == EACCES) GTEST_SKIP() << "perf_event_open is forbidden";
  EXPECT_NE(errors[0], 0);
  EXPECT_EQ(errors[1], 0);
  plait_counter_value before[3], after[3];
  read_events(set, 3, false, before);
  touch(100);
  read_events(set, 3, false, after);
  EXPECT_GE(after[1].value - before[1].value, 100u);
  EXPECT_EQ(after[0].value, 0u);
  close_events(&set, 3);
}

TEST(EventSet, AFileOfTheProgramWithTheNumberOfAnEventIsNeitherReadNorClosed) {
  Event events[] = {kFaults};
  EventSet set;
  int errors[1];
  open_events(events, 1, &set, errors);
  if (errors[0] != 0) GTEST_SKIP() << "perf_event_open is forbidden";
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  ASSERT_EQ(write(pipes[1], "12345678901234567890123456789012345678901234567890", 50), 50);
  ASSERT_EQ(dup2(pipes[0], set.files[0] - 1), set.files[0] - 1);
  plait_counter_value value[1];
  read_events(set, 1, false, value);
  EXPECT_EQ(value[0].value, 0u);
  char text[64];
  EXPECT_EQ(read(pipes[0], text, sizeof text), 50);
  const int number = set.files[0] - 1;
  close_events(&set, 1);
  EXPECT_EQ(close(number), 0) << "the program's file was closed";
  close(pipes[0]);
  close(pipes[1]);
}

#if defined(__x86_64__)
uint64_t counter_value = 0;
uint32_t counter_asked = 0;
uint64_t fake_rdpmc(uint32_t number) {
  counter_asked = number;
  return counter_value;
}
uint64_t fake_ticks() {
  return (1 << 20) + 512;
}

perf_event_mmap_page page_of_counter() {
  perf_event_mmap_page page{};
  page.cap_user_rdpmc = 1;
  page.index = 3;
  page.pmc_width = 48;
  page.offset = 1000;
  page.time_enabled = page.time_running = 77;
  return page;
}

TEST(CounterPage, AddsWhatTheProcessorHasCountedToTheKernelsNumber) {
  const perf_event_mmap_page page = page_of_counter();
  plait_counter_value value{};
  counter_value = 234;
  ASSERT_TRUE(read_page(&page, fake_rdpmc, fake_ticks, &value));
  EXPECT_EQ(counter_asked, 2u);
  EXPECT_EQ(value.value, 1234u);
  EXPECT_EQ(value.enabled_ns, 77u);
  EXPECT_EQ(value.running_ns, 77u);
}

TEST(CounterPage, ANegativeCounterOf48BitsIsExtended) {
  perf_event_mmap_page page = page_of_counter();
  page.offset = int64_t{1} << 47;
  plait_counter_value value{};
  counter_value = (uint64_t{1} << 48) - 10;  // 10 below the overflow
  ASSERT_TRUE(read_page(&page, fake_rdpmc, fake_ticks, &value));
  EXPECT_EQ(value.value, (uint64_t{1} << 47) - 10);
}

TEST(CounterPage, AnEventThatWaitsForACounterHasTheKernelsNumber) {
  perf_event_mmap_page page = page_of_counter();
  page.index = 0;
  page.cap_user_time = 1;
  page.time_enabled = 100;
  page.time_running = 40;
  page.time_shift = 10;
  page.time_mult = 2;
  page.time_offset = 5;
  plait_counter_value value{};
  counter_value = 234;
  ASSERT_TRUE(read_page(&page, fake_rdpmc, fake_ticks, &value));
  EXPECT_EQ(value.value, 1000u);
  // ((1 << 20) >> 10) * 2 + (512 * 2 >> 10) + 5
  EXPECT_EQ(value.enabled_ns, 100u + 2048 + 1 + 5);
  EXPECT_EQ(value.running_ns, 40u) << "it does not run now";
}

TEST(CounterPage, WithoutPermissionIsNotRead) {
  perf_event_mmap_page page = page_of_counter();
  page.cap_user_rdpmc = 0;
  plait_counter_value value{};
  EXPECT_FALSE(read_page(&page, fake_rdpmc, fake_ticks, &value));
}
#endif

}  // namespace
}  // namespace plait::preload::counters
