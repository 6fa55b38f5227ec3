// SPDX-License-Identifier: BSD-3-Clause
// The fastest way is found, kept and found again.
#include "transport/ways.hpp"

#include <gtest/gtest.h>

#include <array>

namespace plait::transport {
namespace {

using Times = std::array<uint64_t, kWays>;

/// Lets messages go whose times depend on their ways only. @return how many went each way
Times send(Ways& ways, uint32_t messages, uint64_t bytes, const Times& ns) {
  Times count{};
  for (uint32_t i = 0; i < messages; ++i) {
    const Way way = ways.choose(1, bytes);
    const auto number = static_cast<std::size_t>(way);
    ++count[number];
    ways.took(1, bytes, way, ns[number]);
  }
  return count;
}

constexpr uint64_t kBytes = 1 << 20;

TEST(Ways, EachIsTriedAtFirst) {
  Ways ways(2);
  const uint32_t first = kWays * Ways::kFirstAttempts;
  for (const uint64_t count : send(ways, first, kBytes, {30, 20, 10}))
    EXPECT_EQ(count, Ways::kFirstAttempts);
}

TEST(Ways, TheFastestIsTakenAndOthersAreTriedEverMoreSeldom) {
  for (std::size_t fastest = 0; fastest < kWays; ++fastest) {
    Ways ways(2);
    Times ns{100'000, 100'000, 100'000};
    ns[fastest] = 60'000;
    send(ways, 100, kBytes, ns);
    const Times few = send(ways, 1000, kBytes, ns);
    const Times many = send(ways, 20'000, kBytes, ns);
    EXPECT_GT(few[fastest], 980u);
    EXPECT_GT(many[fastest], 19'970u);
    EXPECT_LT(many[fastest], 20'000u);
  }
}

TEST(Ways, AnotherOneIsTakenWhenTheMachineChanges) {
  Ways ways(2);
  send(ways, 1000, kBytes, {80'000, 40'000, 60'000});
  // The way that was taken has become slow.
  send(ways, 50, kBytes, {80'000, 200'000, 60'000});
  EXPECT_GT(send(ways, 100, kBytes, {80'000, 200'000, 60'000})[2], 90u);
  // Another one has become faster.
  send(ways, 2 * Ways::kMostPause, kBytes, {20'000, 200'000, 60'000});
  EXPECT_GT(send(ways, 100, kBytes, {20'000, 200'000, 60'000})[0], 90u);
}

TEST(Ways, SizesAndSendersHaveTheirOwn) {
  Ways ways(3);
  send(ways, 1000, kBytes, {80, 40, 60});
  send(ways, 1000, 64 << 10, {10, 40, 60});
  EXPECT_GE(send(ways, 20, kBytes, {80, 40, 60})[1], 19u);
  EXPECT_GE(send(ways, 20, 64 << 10, {10, 40, 60})[0], 19u);
  EXPECT_EQ(ways.choose(2, kBytes), Way::pull);  // the first attempt
}

TEST(Ways, ASingleDelayDoesNotMatter) {
  Ways ways(2);
  const Times ns{80'000, 40'000, 90'000};
  send(ways, 100, kBytes, ns);
  ways.took(1, kBytes, Way::small_pieces, 200'000);
  EXPECT_GT(send(ways, 100, kBytes, ns)[1], 95u);
}

}  // namespace
}  // namespace plait::transport
