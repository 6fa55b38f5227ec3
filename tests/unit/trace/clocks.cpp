// SPDX-License-Identifier: BSD-3-Clause
// Tests of the alignment of clocks.
#include "trace/clocks.hpp"

#include <gtest/gtest.h>

namespace plait::trace {
namespace {

ProcessDefinitions process(int rank, const std::string& host, double ticks_per_s,
                           std::uint64_t ticks, std::int64_t monotonic_ns) {
  ProcessDefinitions out;
  out.world_rank = rank;
  out.host = host;
  out.clock.ticks_per_s = ticks_per_s;
  out.clock.first = {ticks, monotonic_ns + 7'000'000'000, monotonic_ns};
  out.clock.last = out.clock.first;
  out.clock.last.ticks += 1000;
  return out;
}

TEST(Clocks, ProcessesOfAHostHaveOneClockAtTheBestKnownRate) {
  ProcessDefinitions first = process(0, "alpha", 2.1e9, 5000, 100);
  ProcessDefinitions second = process(1, "alpha", 2e9, 9000, 2100);
  second.clock.last.ticks += 1'000'000'000;  // it ran longer, so its rate is better known
  const std::vector<const ProcessDefinitions*> both = {&first, &second};
  const Alignment aligned = align_clocks(both);
  EXPECT_TRUE(aligned.problems.empty());
  EXPECT_EQ(aligned.error_s, 0);
  for (const TickMap& map : aligned.maps) {
    EXPECT_EQ(map(29'000) - map(9000), 10'000);
    EXPECT_EQ(map(9000), aligned.maps[0](9000));
  }
}

TEST(Clocks, LargeTickCountsKeepTheirLastDigits) {
  const std::uint64_t boot = 3'000'000'000ULL * 86'400 * 365;  // a year at 3 GHz
  const ProcessDefinitions only = process(0, "alpha", 1e9, boot, 31'536'000'000'000'000);
  const std::vector<const ProcessDefinitions*> one = {&only};
  const TickMap map = align_clocks(one).maps[0];
  EXPECT_EQ(map(boot + 7) - map(boot + 6), 1);
  EXPECT_EQ(map(boot - 5), -5);
}

TEST(Clocks, HostsAreAlignedByTheirOffsetsAndTheDriftBetweenThem) {
  const ProcessDefinitions reference = process(0, "alpha", 1e9, 1000, 1'000'000);
  ProcessDefinitions other = process(1, "beta", 1e9, 500, 300'000);
  // beta's monotonic clock is 2 s behind at its tick 1000, and 10 us less at tick 1e9 + 1000.
  other.clock.at_init = {1000, 2.0, 3e-6, 1, 0};
  other.clock.at_finalize = {1'000'001'000, 2.0 + 10e-6, 1e-6, 1, 0};
  ProcessDefinitions worse = process(2, "beta", 1e9, 500, 300'000);
  worse.clock.at_init = {1000, 2.5, 50e-6, 1, 0};
  worse.clock.at_finalize = {1'000'001'000, 2.5, 50e-6, 1, 0};
  const std::vector<const ProcessDefinitions*> all = {&reference, &other, &worse};
  const Alignment aligned = align_clocks(all);
  EXPECT_TRUE(aligned.problems.empty());
  EXPECT_DOUBLE_EQ(aligned.error_s, 3e-6);
  // At beta's tick 1000 its own clock is 300500 ns. That is 2000300500 ns on alpha, whose tick
  // count is ns minus 999000.
  const std::int64_t begin = 2'000'300'500;
  EXPECT_NEAR(static_cast<double>(aligned.maps[1](1000) - aligned.maps[0](0)),
              static_cast<double>(begin - 999'000), 2);
  EXPECT_NEAR(static_cast<double>(aligned.maps[1](1'000'001'000) - aligned.maps[1](1000)),
              1e9 + 10'000, 2);
  EXPECT_EQ(aligned.maps[2](5000), aligned.maps[1](5000));
}

TEST(Clocks, AHostWithoutOffsetIsAlignedByItsWallClockAndReported) {
  const ProcessDefinitions reference = process(0, "alpha", 1e9, 1000, 0);
  ProcessDefinitions other = process(1, "beta", 1e9, 1000, 500);
  other.clock.first.realtime_ns = reference.clock.first.realtime_ns + 42;
  const std::vector<const ProcessDefinitions*> both = {&reference, &other};
  const Alignment aligned = align_clocks(both);
  EXPECT_EQ(aligned.maps[1](1000) - aligned.maps[0](1000), 42);
  ASSERT_EQ(aligned.problems.size(), 1u);
  EXPECT_NE(aligned.problems[0].find("the clock of beta was not measured against that of alpha"),
            std::string::npos);
}

TEST(Clocks, AHostMeasuredOnceIsReported) {
  const ProcessDefinitions reference = process(0, "alpha", 1e9, 1000, 0);
  ProcessDefinitions other = process(1, "beta", 1e9, 1000, 0);
  other.clock.at_init = {1000, 1.0, 1e-6, 1, 0};
  const std::vector<const ProcessDefinitions*> both = {&reference, &other};
  const Alignment aligned = align_clocks(both);
  EXPECT_EQ(aligned.maps[1](1000) - aligned.maps[0](1000), 1'000'000'000);
  ASSERT_EQ(aligned.problems.size(), 1u);
  EXPECT_NE(aligned.problems[0].find("its drift is unknown"), std::string::npos);
}

TEST(Clocks, TicksOfTheMonotonicClockAreItsNanoseconds) {
  ProcessDefinitions only = process(0, "alpha", 1e9, 123, 123);
  only.clock.kind = PLAIT_CLOCK_MONOTONIC_NS;
  const std::vector<const ProcessDefinitions*> one = {&only};
  EXPECT_EQ(align_clocks(one).maps[0](1123), 1000);
}

}  // namespace
}  // namespace plait::trace
