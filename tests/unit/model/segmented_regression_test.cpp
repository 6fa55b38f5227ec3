// SPDX-License-Identifier: BSD-3-Clause
// Known pieces are recovered with and without noise; a straight line stays one piece.
#include "model/segmented_regression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace plait::model {
namespace {

using Curve = std::function<double(double)>;

/// The sizes of plait measure, with times that have relative noise from a fixed seed.
std::vector<CurveSample> measured(const Curve& curve, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1);
  std::vector<CurveSample> samples{{0, curve(0), noise * curve(0)}};
  for (double bytes = 1; bytes <= 4 << 20; bytes *= 2) {
    samples.push_back({bytes, curve(bytes), noise * curve(bytes)});
  }
  for (CurveSample& sample : samples) sample.y *= std::exp(noise * normal(random));
  return samples;
}

/// The sizes at which pieces end.
std::vector<double> breaks(const std::vector<CurveSample>& samples) {
  std::vector<double> at;
  for (const Segment& segment : fit_segments(samples)) at.push_back(samples[segment.last].x);
  at.pop_back();
  return at;
}

double straight(double bytes) {
  return 0.5 + bytes / 10e3;
}
double eager_4k(double bytes) {
  return bytes <= 4096 ? 0.25 + bytes / 8e3 : 2.3 + bytes / 13e3;
}
double eager_64k(double bytes) {
  return bytes <= 65536 ? 2 + bytes / 10e3 : 7 + bytes / 10e3;
}
double bend_64k(double bytes) {
  return 0.5 + std::min(bytes, 65536.0) / 10e3 + std::max(0.0, bytes - 65536) / 5e3;
}

TEST(SegmentedRegression, AStraightLineHasOnePiece) {
  const std::vector<CurveSample> samples = measured(straight, 0, 0);
  const std::vector<Segment> segments = fit_segments(samples);
  ASSERT_EQ(segments.size(), 1U);
  EXPECT_NEAR(segments[0].intercept, 0.5, 1e-9);
  EXPECT_NEAR(segments[0].slope, 1 / 10e3, 1e-12);
}

TEST(SegmentedRegression, NoiseOnAStraightLineIsNotABreak) {
  int broken = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    for (const double noise : {0.01, 0.05, 0.2}) {
      broken += breaks(measured(straight, noise, seed)).empty() ? 0 : 1;
    }
  }
  EXPECT_LE(broken, 6) << "of 600";
}

TEST(SegmentedRegression, FindsTheLastSizeBeforeAJump) {
  EXPECT_EQ(breaks(measured(eager_4k, 0, 0)), std::vector<double>{4096});
  EXPECT_EQ(breaks(measured(eager_64k, 0, 0)), std::vector<double>{65536});
  for (unsigned seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(breaks(measured(eager_4k, 0.05, seed)), std::vector<double>{4096}) << seed;
    EXPECT_EQ(breaks(measured(eager_64k, 0.02, seed)), std::vector<double>{65536}) << seed;
  }
}

TEST(SegmentedRegression, FindsAChangeOfSlopeWithoutAJump) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const double noise = seed == 0 ? 0 : 0.03;
    const std::vector<CurveSample> samples = measured(bend_64k, noise, seed);
    const std::vector<Segment> segments = fit_segments(samples);
    ASSERT_EQ(segments.size(), 2U) << seed;
    // The size at the bend is on both lines.
    const double end = samples[segments[0].last].x;
    EXPECT_TRUE(end == 32768 || end == 65536) << end;
    EXPECT_NEAR(segments[1].slope * 5e3, 1, 0.1);
  }
}

TEST(SegmentedRegression, FindsTwoBreaks) {
  const Curve both = [](double bytes) { return eager_4k(bytes) + (bytes > 65536 ? 10 : 0); };
  EXPECT_EQ(breaks(measured(both, 0.02, 3)), (std::vector<double>{4096, 65536}));
}

TEST(SegmentedRegression, OneDisturbedSizeIsNotAPiece) {
  std::vector<CurveSample> samples = measured(straight, 0.02, 5);
  samples[12].y *= 2;
  EXPECT_TRUE(breaks(samples).empty());
}

TEST(SegmentedRegression, IntervalsContainTheTrueValues) {
  int inside = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Segment line = fit_line(measured(straight, 0.05, seed), 0.01);
    inside += std::abs(line.slope - 1 / 10e3) <= line.slope_half_width ? 1 : 0;
  }
  EXPECT_GE(inside, 180) << "of 200, at 95 %";
}

TEST(SegmentedRegression, TooFewSamplesHaveNoPieces) {
  EXPECT_TRUE(fit_segments({}).empty());
  EXPECT_TRUE(fit_segments({{0, 1, 0}, {1, 2, 0}}).empty());
}

TEST(SegmentedRegression, ATimeThatDecreasesWithSizeIsFlat) {
  const std::vector<Segment> segments = fit_segments({{0, 3, 0}, {1, 2.9, 0}, {2, 2.8, 0}});
  ASSERT_EQ(segments.size(), 1U);
  EXPECT_EQ(segments[0].slope, 0);
}

}  // namespace
}  // namespace plait::model
