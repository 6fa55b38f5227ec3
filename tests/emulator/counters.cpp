// SPDX-License-Identifier: BSD-3-Clause
// Counts hardware events with the preload objects' code on an emulated processor; the first and
// only process of a small guest (tests/emulator/run).
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "preload/counters/event_set.hpp"

namespace plait::preload::counters {
namespace {

constexpr int kMany = 12;  // more than the processor counts at once
int failures;

void check(bool holds, const char* what) {
  printf("%s: %s\n", holds ? "passed" : "FAILED", what);
  if (!holds) ++failures;
}

/// Two instructions for each of `rounds`.
__attribute__((noinline)) void spin(unsigned long rounds) {
  asm volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
}

Event hardware(uint64_t config) {
  return {PERF_TYPE_HARDWARE, config, 0, 0, false};
}

void count_instructions() {
  Event events[] = {hardware(PERF_COUNT_HW_CPU_CYCLES),
                    hardware(PERF_COUNT_HW_INSTRUCTIONS),
                    {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0, false},
                    hardware(PERF_COUNT_HW_CACHE_MISSES)};
  EventSet set;
  int errors[4];
  open_events(events, 4, &set, errors);
  check(!errors[0] && !errors[1] && !errors[2], "cycles, instructions and page faults are counted");
  check(set.leaders[1] == 0 && set.leaders[2] == 2, "hardware events are read together");
  check(errors[3] == ENOENT, "an event that the processor does not have is left out");
  for (const unsigned long rounds : (unsigned long[]){1'000'000, 4'000'000, 16'000'000}) {
    plait_counter_value before[4], after[4];
    read_events(set, 4, false, before);
    spin(rounds);
    read_events(set, 4, false, after);
    const auto counted = static_cast<double>(after[1].value - before[1].value);
    const auto expected = static_cast<double>(2 * rounds);
    printf("%.0f instructions counted, %.0f in the loop\n", counted, expected);
    check(counted >= expected && counted < 1.02 * expected, "instructions are those of the loop");
    check(after[0].value > before[0].value, "cycles pass");
  }
  close_events(&set, 4);
}

void count_more_than_fit() {
  Event events[kMany];
  for (Event& event : events) event = hardware(PERF_COUNT_HW_INSTRUCTIONS);
  EventSet set;
  int errors[kMany];
  open_events(events, kMany, &set, errors);
  plait_counter_value before[kMany], after[kMany];
  read_events(set, kMany, false, before);
  for (int i = 0; i < 60; ++i) spin(2'000'000);
  read_events(set, kMany, false, after);
  bool all_right = true, some_part = false;
  for (int i = 0; i < kMany; ++i) {
    const auto enabled = static_cast<double>(after[i].enabled_ns - before[i].enabled_ns);
    const auto running = static_cast<double>(after[i].running_ns - before[i].running_ns);
    const auto value = static_cast<double>(after[i].value - before[i].value);
    const double ratio = running > 0 ? value * enabled / running / 240e6 : 0;
    printf("event %d counted %.0f %% of the time; extrapolated %.4f of the instructions\n", i,
           100 * running / enabled, ratio);
    all_right = all_right && fabs(ratio - 1) < 0.05;
    some_part = some_part || running < 0.9 * enabled;
  }
  check(some_part, "twelve events take turns");
  check(all_right, "what is extrapolated is right");
  close_events(&set, kMany);
}

}  // namespace
}  // namespace plait::preload::counters

int main() {
  using namespace plait::preload::counters;
  mount("proc", "/proc", "proc", 0, nullptr);
  count_instructions();
  count_more_than_fit();
  printf("end: %d failures\n", failures);
  fflush(stdout);
  sync();
  reboot(RB_POWER_OFF);
}
