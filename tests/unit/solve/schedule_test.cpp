// SPDX-License-Identifier: BSD-3-Clause
// Schedules as text: reading, writing, errors, and the environment variable.
#include "plait/schedule.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "plait/error.hpp"

namespace {

using namespace std::chrono_literals;
using plait::Communicator;
using plait::Schedule;
using plait::ScheduleKind;
using plait::Wait;

std::string error_of(const std::string& text) {
  try {
    Schedule::parse(text);
  } catch (const plait::Error& error) {
    return error.what();
  }
  return "";
}

TEST(Schedule, EveryKindIsReadByItsName) {
  for (const ScheduleKind kind : plait::schedule_kinds()) {
    EXPECT_EQ(Schedule::parse(to_string(kind)), Schedule(kind));
  }
}

TEST(Schedule, OptionsAreReadInAnyOrder) {
  Schedule expected(ScheduleKind::comm_thread);
  expected.wait = Wait::sleep;
  expected.poll = 100us;
  expected.communicator = Communicator::extra_thread;
  expected.block = {0, 16, 8};
  EXPECT_EQ(
      Schedule::parse("comm_thread,wait=sleep,poll=100us,communicator=extra_thread,block=0x16x8"),
      expected);
  EXPECT_EQ(
      Schedule::parse("comm_thread,block=0x16x8,communicator=extra_thread,poll=100us,wait=sleep"),
      expected);
}

TEST(Schedule, WhatIsWrittenIsReadAgain) {
  for (const char* text :
       {"blocking", "polled,wait=spin", "comm_thread,wait=sleep,poll=50us,communicator=team_thread",
        "tasks,block=4x3x2", "grains,wait=yield", "automatic,poll=2000us"}) {
    EXPECT_EQ(to_string(Schedule::parse(text)), text);
  }
  EXPECT_EQ(to_string(Schedule::parse("tasks,poll=2ms")), "tasks,poll=2000us");
}

TEST(Schedule, ErrorsNameTheProblemAndListWhatIsAccepted) {
  EXPECT_EQ(error_of("comm_tread"),
            "schedule \"comm_tread\": unknown schedule \"comm_tread\"; use one of blocking, "
            "nonblocking, polled, comm_thread, tasks, grains, partitioned, automatic");
  EXPECT_EQ(error_of("tasks,wiat=spin"),
            "schedule \"tasks,wiat=spin\": unknown option \"wiat\"; use wait=, poll=, "
            "communicator= or block=");
  EXPECT_EQ(
      error_of("tasks,wait=forever"),
      "schedule \"tasks,wait=forever\": invalid option \"wait=forever\"; use wait= and one of "
      "automatic, spin, yield, sleep");
  EXPECT_EQ(error_of("tasks,block=16x16"),
            "schedule \"tasks,block=16x16\": invalid option \"block=16x16\"; use block=0x16x16 "
            "(cells along x, y and z; 0: chosen by Plait)");
  EXPECT_EQ(error_of("polled,communicator=team_thread"),
            "schedule \"polled,communicator=team_thread\": communicator= applies to comm_thread "
            "only, not to polled; leave it out, or use comm_thread");
  EXPECT_EQ(error_of("polled,wait=spin,poll=10us"),
            "schedule \"polled,wait=spin,poll=10us\": poll= applies to wait=sleep only, not to "
            "wait=spin; leave one of them out");
}

TEST(Schedule, DamagedTextIsRefused) {
  for (const char* text :
       {"", ",", "tasks,", "tasks,wait", "tasks,wait=", " tasks", "tasks,poll=100", "tasks,poll=us",
        "tasks,poll=0us", "tasks,poll=-1us", "tasks,poll=2000ms", "tasks,block=1x2x3x4",
        "tasks,block=1xx3", "tasks,block=-1x2x3", "tasks,block=1x2x99999999999", "Blocking"}) {
    EXPECT_NE(error_of(text), "") << text;
  }
}

TEST(Schedule, TheEnvironmentDecidesIfItIsSet) {
  const Schedule fallback(ScheduleKind::polled);
  unsetenv("PLAIT_SCHEDULE");
  EXPECT_EQ(Schedule::from_environment(fallback), fallback);
  EXPECT_EQ(Schedule::from_environment(), Schedule(ScheduleKind::automatic));
  setenv("PLAIT_SCHEDULE", "", 1);
  EXPECT_EQ(Schedule::from_environment(fallback), fallback);
  setenv("PLAIT_SCHEDULE", "tasks,wait=yield", 1);
  EXPECT_EQ(to_string(Schedule::from_environment(fallback)), "tasks,wait=yield");
  setenv("PLAIT_SCHEDULE", "taks", 1);
  try {
    Schedule::from_environment();
    FAIL() << "taks is not a schedule";
  } catch (const plait::Error& error) {
    EXPECT_EQ(std::string(error.what()).find("PLAIT_SCHEDULE=taks: unknown schedule \"taks\""), 0U);
  }
  unsetenv("PLAIT_SCHEDULE");
}

}  // namespace
