// SPDX-License-Identifier: BSD-3-Clause
// Ratios of paired runs, and when a difference is significant.
#include "base/paired_ratio.hpp"

#include <gtest/gtest.h>

namespace plait {
namespace {

std::vector<std::array<double, 2>> pairs(const std::vector<double>& ratios) {
  std::vector<std::array<double, 2>> seconds;
  double drift = 1;
  for (const double ratio : ratios) {
    seconds.push_back({ratio * drift, drift});
    drift *= 1.5;  // the machine slows down, which must not matter
  }
  return seconds;
}

TEST(PairedRatio, IsTheMedianOfThePairs) {
  const MedianInterval ratio = paired_ratio(pairs({1.2, 1.4, 1.3, 1.1, 1.6, 1.5, 1.25}));
  EXPECT_DOUBLE_EQ(ratio.median, 1.3);
  EXPECT_TRUE(ratio.covers);
  EXPECT_DOUBLE_EQ(ratio.low, 1.1);
}

TEST(PairedRatio, FewPairsAreUndecided) {
  EXPECT_EQ(compare_pairs({}, kConfidence), Comparison::undecided);
  EXPECT_EQ(compare_pairs(pairs({2, 2, 2, 2, 2}), kConfidence), Comparison::undecided);
  EXPECT_EQ(compare_pairs(pairs({2, 2, 2, 2, 2, 2}), kConfidence), Comparison::faster);
  EXPECT_EQ(compare_pairs(pairs({2, 2, 2, 2, 2, 2, 2}), kEarlyConfidence), Comparison::undecided);
  EXPECT_EQ(compare_pairs(pairs({2, 2, 2, 2, 2, 2, 2, 2}), kEarlyConfidence), Comparison::faster);
}

TEST(PairedRatio, OnlyAnIntervalOnOneSideOfOneDecides) {
  EXPECT_EQ(compare_pairs(pairs({0.9, 1.1, 1.2, 0.8, 1.1, 0.95}), kConfidence),
            Comparison::undecided);
  EXPECT_EQ(compare_pairs(pairs({0.9, 0.8, 0.7, 0.8, 0.6, 0.95}), kConfidence), Comparison::slower);
}

}  // namespace
}  // namespace plait
