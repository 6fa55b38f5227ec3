// SPDX-License-Identifier: BSD-3-Clause
// What a caller does that polls again and again.
#include "transport/wait.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "members.hpp"

namespace plait::transport {
namespace {

TEST(Wait, PollsAgainThenYieldsThenSleeps) {
  Members members(design_of("auto"), 2);
  Waiter yields(members[0], {5, 1, true});
  Waiter sleeps(members[0], {5, 0, true});
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (int poll = 0; poll < 5; ++poll) {
      EXPECT_EQ(yields.next_step(true), Step::again);
      EXPECT_EQ(sleeps.next_step(true), Step::again);
    }
    EXPECT_EQ(yields.next_step(true), Step::yield);
    EXPECT_EQ(sleeps.next_step(true), Step::sleep);
    yields.found();
    sleeps.found();
  }
}

TEST(Wait, DoesNotSleepWhileSendsWaitForMemory) {
  Members members(design_of("auto"), 2);
  Waiter waiter(members[0], {5, 0, true});
  for (int poll = 0; poll < 100; ++poll) EXPECT_NE(waiter.next_step(false), Step::sleep);
}

TEST(Wait, SleepsInsteadOfYieldsWhileOtherProgramsUseTheCpu) {
  Members members(design_of("auto"), 2);
  Waiter waiter(members[0], {5, 10, true});
  for (uint32_t cpu = 0; cpu < kNotedCpus; ++cpu)
    members.node.notes_of(cpu).disturbed_until.store(UINT64_MAX);
  for (int poll = 0; poll < 5; ++poll) EXPECT_EQ(waiter.next_step(true), Step::again);
  // The caller may do something else, and seems to where this test loses the CPU.
  Step step = Step::again;
  for (int poll = 0; poll < 100 && step == Step::again; ++poll) step = waiter.next_step(true);
  EXPECT_EQ(step, Step::sleep);
  EXPECT_EQ(waiter.yields(), 0u);
}

TEST(Wait, LetsOthersRunWhereMembersShareCpus) {
  Members members(design_of("auto"), 2);
  Waiter alone(members[0], WaitPolicy::automatic(2, 2));
  Waiter sharing(members[0], WaitPolicy::automatic(2, 1));
  alone.let_others_run();
  sharing.let_others_run();
  EXPECT_EQ(alone.yields(), 0u);
  EXPECT_EQ(sharing.yields(), 1u);
  for (uint32_t cpu = 0; cpu < kNotedCpus; ++cpu)
    members.node.notes_of(cpu).disturbed_until.store(UINT64_MAX);
  sharing.let_others_run();
  EXPECT_EQ(sharing.yields(), 1u) << "another program would run";
}

TEST(Wait, SleepsOnlyWithoutNews) {
  for (const Design& design : designs()) {
    SCOPED_TRACE(design.name);
    Members members(design, 2);
    Waiter waiter(members[0], WaitPolicy::sleep());
    ASSERT_TRUE(waiter.begin_sleep());
    waiter.sleep_briefly();  // nothing comes
    waiter.end_sleep();
    EXPECT_EQ(waiter.sleeps(), 1u);
    // Also for a ring that is polled first.
    for (uint64_t message = 0; message < 40; ++message) {
      members[0].expect(1);
      ASSERT_EQ(put(members[1], 0, message, 8), Put::sent);
      EXPECT_FALSE(waiter.begin_sleep());
      ASSERT_TRUE(take_patiently(members[0]).has_value());
      EXPECT_FALSE(take_patiently(members[1]).has_value());  // only acknowledgements
    }
  }
}

TEST(Wait, DoesNotSleepForACallerThatWorksInBetween) {
  Members members(design_of("auto"), 2);
  Waiter waiter(members[0], {10, 20, true});
  for (int poll = 0; poll < 500; ++poll) {
    const Step step = waiter.next_step(true);
    ASSERT_NE(step, Step::sleep) << poll;
    if (step == Step::yield) waiter.give_way();
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::microseconds(2)) {
    }
  }
}

TEST(Wait, SleepsAlsoWithManyRings) {
  constexpr uint32_t kSenders = 40;
  Members members(design_of("auto"), kSenders + 1);
  // Enough for a ring each, the last of which is polled first: its bit stays.
  for (uint64_t message = 0; message < 200; ++message) {
    for (uint32_t sender = 1; sender <= kSenders; ++sender) {
      ASSERT_EQ(put(members[sender], 0, message, 8), Put::sent);
      ASSERT_TRUE(take_patiently(members[0]).has_value());
    }
  }
  for (uint64_t message = 0; message < 20; ++message) {
    ASSERT_EQ(put(members[kSenders], 0, message, 8), Put::sent);
    ASSERT_TRUE(take_patiently(members[0]).has_value());
  }
  while (take(members[0])) {
  }
  Bell& bell = members.node.bell(0);
  EXPECT_NE(bell.news() >> 32, 0u);
  bell.announce_sleep();
  ASSERT_FALSE(members[0].has_news());
  EXPECT_FALSE(bell.sleep(1000)) << "it did not sleep";
  bell.stay_awake();
}

}  // namespace
}  // namespace plait::transport
