// SPDX-License-Identifier: BSD-3-Clause
// Tests of size classes: jumps of a ping-pong curve, and ITAC's classes without one.
#include "analysis/size_classes.hpp"

#include <gtest/gtest.h>

namespace plait::analysis {
namespace {

/// A curve with a latency, a bandwidth, and `jump_us` more from one size on.
std::vector<machine::CurvePoint> curve(std::uint64_t jump_at, double jump_us) {
  std::vector<machine::CurvePoint> points;
  for (std::uint64_t bytes = 1; bytes <= 1 << 22; bytes *= 2) {
    machine::CurvePoint point;
    point.bytes = bytes;
    point.half_round_trip_us.median =
        1.0 + static_cast<double>(bytes) * 1e-4 + (bytes >= jump_at ? jump_us : 0);
    points.push_back(point);
  }
  return points;
}

TEST(SizeClasses, AJumpInTheCurveIsAProtocolSwitch) {
  EXPECT_EQ(protocol_switches(curve(8192, 2.0)), (std::vector<std::uint64_t>{8192}));
  EXPECT_TRUE(protocol_switches(curve(8192, 0)).empty()) << "the knee is not a switch";
}

TEST(SizeClasses, TheMeasuredSwitchesOfAllPathsAreTheLimits) {
  machine::Measured measured;
  measured.paths.resize(3);
  measured.paths[0].mpi_pingpong = curve(4096, 3.0);
  measured.paths[1].mpi_pingpong = curve(65536, 9.0);
  measured.paths[2].mpi_pingpong = curve(8192, 3.0);
  const SizeClasses classes = size_classes(&measured);
  EXPECT_EQ(classes.limits, (std::vector<std::uint64_t>{4096, 65536}))
      << "4 and 8 KiB are too close to be separate classes";
  EXPECT_EQ(classes.source, "measured protocol switches");
  EXPECT_EQ(classes.of(4095), 0U);
  EXPECT_EQ(classes.of(4096), 1U);
  EXPECT_EQ(classes.of(1 << 20), 2U);
  EXPECT_EQ(classes.from(1), 4096U);
  EXPECT_EQ(classes.to(1), 65536U);
}

TEST(SizeClasses, WithoutAMachineTheyAreItacs) {
  const SizeClasses classes = size_classes(nullptr);
  EXPECT_EQ(classes.source, "ITAC's classes");
  EXPECT_EQ(classes.of(512), 0U);
  EXPECT_EQ(classes.of(513), 1U);
  EXPECT_EQ(classes.of(32767), 1U);
  EXPECT_EQ(classes.of(32768), 2U);
}

}  // namespace
}  // namespace plait::analysis
