// SPDX-License-Identifier: BSD-3-Clause
// The fit recovers the parameters of a generated curve and marks what was not measured.
#include "model/loggp.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace plait::model {
namespace {

using machine::Path;
using machine::Statistic;

Statistic exactly(double value) {
  return {value, value, value, value, 9, {}};
}

Path path_of(const std::function<double(double)>& half_round_trip_us) {
  Path path;
  path.id = "network";
  path.name = "network";
  for (double bytes = 0; bytes <= 4 << 20; bytes = bytes == 0 ? 1 : bytes * 2) {
    const double us = half_round_trip_us(bytes);
    path.mpi_pingpong.push_back({static_cast<std::uint64_t>(bytes), exactly(us), bytes / us / 1e3});
  }
  return path;
}

/// L = 1.6 us, o = 0.2 us, G = 0.1 ns, a handshake of 4 us above 64 KiB.
Path network() {
  return path_of([](double bytes) { return 2 + bytes / 10e3 + (bytes > 65536 ? 4 : 0); });
}

TEST(LogGp, RecoversTheParametersOfACurve) {
  Path path = network();
  for (const std::uint64_t bytes : {0, 1024, 4096, 65536, 1 << 20}) {
    const double copied = 0.2 + static_cast<double>(bytes) / 40e3;
    path.mpi_overheads.push_back({bytes, exactly(copied), exactly(copied)});
  }
  path.mpi_back_to_back.push_back({0, 64, exactly(0.3)});
  const std::optional<machine::LogGp> found = loggp_of(path);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->latency_s.value, 1.6e-6, 1e-12);
  EXPECT_NEAR(found->overhead_s.value, 0.2e-6, 1e-12);
  EXPECT_NEAR(found->gap_s.value, 0.3e-6, 1e-12);
  EXPECT_NEAR(found->seconds_per_byte.value, 1e-10, 1e-14);
  EXPECT_NEAR(found->overhead_per_byte_s.value, 2.5e-11, 1e-14);
  EXPECT_EQ(found->eager_limit, 65536U);
  for (const machine::Estimate* estimate :
       {&found->latency_s, &found->overhead_s, &found->gap_s, &found->seconds_per_byte,
        &found->overhead_per_byte_s}) {
    EXPECT_TRUE(estimate->measured);
    EXPECT_LE(estimate->low, estimate->value);
    EXPECT_GE(estimate->high, estimate->value);
  }
}

TEST(LogGp, MarksInferredParameters) {
  Path path = network();
  const std::optional<machine::LogGp> bare = loggp_of(path);
  ASSERT_TRUE(bare);
  EXPECT_FALSE(bare->overhead_s.measured || bare->gap_s.measured || bare->latency_s.measured ||
               bare->overhead_per_byte_s.measured);
  EXPECT_TRUE(bare->seconds_per_byte.measured);
  EXPECT_EQ(bare->overhead_s.value, 0);
  EXPECT_NEAR(bare->overhead_s.high, 1e-6, 0.1e-6);
  path.bare_line_us = exactly(1.5);
  EXPECT_NEAR(loggp_of(path)->overhead_s.value, 0.25e-6, 1e-9);
  path.mpi_pingping.push_back({0, exactly(2.5), 0});
  EXPECT_NEAR(loggp_of(path)->gap_s.high, 2.5e-6, 1e-9);
}

TEST(LogGp, AGapIsNeverLessThanTheOverhead) {
  Path path = network();
  path.mpi_overheads.push_back({0, exactly(0.4), exactly(0.6)});
  path.mpi_back_to_back.push_back({0, 64, exactly(0.1)});
  EXPECT_NEAR(loggp_of(path)->gap_s.value, 0.5e-6, 1e-12);
}

TEST(LogGp, NeedsEnoughSizes) {
  Path path = network();
  path.mpi_pingpong.resize(7);
  EXPECT_FALSE(loggp_of(path));
  EXPECT_TRUE(protocol_switches(path).empty());
  EXPECT_TRUE(protocol_switches({}).empty());
}

TEST(ProtocolSwitches, TheLargestRelativeJumpIsTheRendezvous) {
  const auto switches = protocol_switches(path_of([](double bytes) {
    return bytes <= 4096 ? 0.25 + bytes / 8e3
                         : (bytes <= 262144 ? 2.3 + bytes / 13e3 : bytes / 6e3);
  }));
  ASSERT_EQ(switches.size(), 2U);
  EXPECT_EQ(switches[0].bytes, 4096U);
  EXPECT_EQ(switches[0].beyond, 8192U);
  EXPECT_EQ(switches[0].kind, kEagerToRendezvous);
  EXPECT_NEAR(switches[0].jump_us, 2.05 + 4096 / 13e3 - 4096 / 8e3, 1e-6);
  EXPECT_EQ(switches[1].bytes, 262144U);
  EXPECT_EQ(switches[1].kind, kUnnamedSwitch);
  EXPECT_NEAR(switches[1].seconds_per_byte_after, 1e-6 / 6e3, 1e-15);
}

TEST(ProtocolSwitches, ABendIsNotAJump) {
  const auto switches = protocol_switches(path_of([](double bytes) {
    return 0.5 + bytes / 10e3 + (bytes > 100e3 ? (bytes - 100e3) / 5e3 : 0);
  }));
  ASSERT_EQ(switches.size(), 1U);
  EXPECT_EQ(switches[0].bytes, 65536U);
  EXPECT_EQ(switches[0].jump_us, 0);
  EXPECT_EQ(switches[0].kind, kUnnamedSwitch);
}

TEST(ProtocolSwitches, AnObservedSwitchTakesPrecedenceOverTheLargestJump) {
  Path path = path_of([](double bytes) {
    return bytes <= 4096 ? 0.25 + bytes / 8e3
                         : (bytes <= 262144 ? 2.3 + bytes / 13e3 : bytes / 6e3);
  });
  for (const std::uint64_t bytes : {65536, 131072, 1048576}) {
    path.mpi_eager.push_back({bytes, bytes <= 262144});
  }
  const auto switches = protocol_switches(path);
  ASSERT_EQ(switches.size(), 2U);
  EXPECT_EQ(switches[0].kind, kUnnamedSwitch);
  EXPECT_EQ(switches[1].kind, kEagerToRendezvous);
  const machine::LogGp fits = loggp_of(path).value();
  EXPECT_EQ(fits.eager_limit, 262144U);
  EXPECT_NEAR(fits.overhead_per_byte_s.high, 1e-6 / 13e3 / 2, 1e-15) << "O of eager messages";
}

TEST(ProtocolSwitches, AnObservedLimitNeedsNoJump) {
  Path path = path_of([](double bytes) { return 30 + bytes / 118; });
  path.mpi_eager = {{131072, false}, {1024, true}, {65536, true}};
  EXPECT_TRUE(protocol_switches(path).empty());
  EXPECT_EQ(loggp_of(path)->eager_limit, 65536U);
  path.mpi_eager = {{1024, false}};
  EXPECT_EQ(loggp_of(path)->eager_limit, 0U) << "nothing was eager";
}

TEST(AddFits, FillsPathsAndLeavesFiguresOfPapers) {
  machine::Measured measured;
  measured.paths.push_back(network());
  add_fits(measured);
  EXPECT_TRUE(measured.paths[0].loggp);
  EXPECT_EQ(measured.paths[0].switches.size(), 1U);
  machine::Measured paper;
  paper.source = "a paper";
  paper.paths.push_back(network());
  add_fits(paper);
  EXPECT_FALSE(paper.paths[0].loggp);
}

}  // namespace
}  // namespace plait::model
