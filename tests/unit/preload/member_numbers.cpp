// SPDX-License-Identifier: BSD-3-Clause
// Numbers for the members of a node, also while several threads use them.
#include "preload/transport/member_numbers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace plait::preload::provider {
namespace {

TEST(MemberNumbers, AreThoseOfATable) {
  MemberNumbers numbers(3);
  EXPECT_EQ(numbers.number(2), MemberNumbers::kNone);
  EXPECT_EQ(numbers.insert(2), 0u);
  EXPECT_EQ(numbers.insert(0), 1u);
  EXPECT_EQ(numbers.insert(2), 0u);  // once more
  EXPECT_EQ(numbers.member(0), 2u);
  EXPECT_TRUE(numbers.remove(0));
  EXPECT_EQ(numbers.member(0), 2u);
  EXPECT_TRUE(numbers.remove(0));
  EXPECT_EQ(numbers.member(0), MemberNumbers::kNone);
  EXPECT_FALSE(numbers.remove(0));
  EXPECT_FALSE(numbers.remove(3));
  EXPECT_EQ(numbers.insert(1), 0u);
  EXPECT_EQ(numbers.number(0), 1u);
}

TEST(MemberNumbers, StayRightWhileThreadsInsertRemoveAndLookUp) {
  constexpr uint32_t kMembers = 8, kThreads = 3, kRounds = 2000;
  MemberNumbers numbers(kMembers);
  numbers.insert(0);  // stays
  std::atomic<uint32_t> faults = 0, running = kThreads;
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (uint32_t round = 0; round < kRounds; ++round) {
        const uint32_t member = 1 + (round + thread) % (kMembers - 1);
        const uint32_t number = numbers.insert(member);
        // This thread's insertion keeps both, whatever the others remove.
        faults += numbers.member(number) == member && numbers.number(member) == number ? 0 : 1;
        faults += numbers.remove(number) ? 0 : 1;
      }
      --running;
    });
  }
  while (running > 0) {
    faults += numbers.member(0) == 0 && numbers.number(0) == 0 ? 0 : 1;
    for (uint32_t number = 1; number < kMembers; ++number) {
      const uint32_t member = numbers.member(number);
      faults += member == MemberNumbers::kNone || (member > 0 && member < kMembers) ? 0 : 1;
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(faults, 0u);
  for (uint32_t member = 1; member < kMembers; ++member)
    EXPECT_EQ(numbers.number(member), MemberNumbers::kNone);
}

}  // namespace
}  // namespace plait::preload::provider
