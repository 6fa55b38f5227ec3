// SPDX-License-Identifier: BSD-3-Clause
// P(k) between, below and beyond the measured numbers of cores, and refused tables.
#include "model/speed_table.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "plait/error.hpp"

namespace plait::model {
namespace {

using Points = std::vector<std::pair<int, double>>;

TEST(SpeedTable, GivesMeasuredSpeedsInAnyOrder) {
  const SpeedTable table(Points{{4, 300}, {1, 100}, {2, 180}});
  EXPECT_DOUBLE_EQ(table.at(1), 100);
  EXPECT_DOUBLE_EQ(table.at(2), 180);
  EXPECT_DOUBLE_EQ(table.at(4), 300);
  EXPECT_EQ(table.cores(), 4);
}

TEST(SpeedTable, InterpolatesBetweenAndIsConstantBeyond) {
  const SpeedTable table(Points{{2, 180}, {4, 300}});
  EXPECT_DOUBLE_EQ(table.at(3), 240);
  EXPECT_DOUBLE_EQ(table.at(64), 300) << "memory is saturated";
  EXPECT_DOUBLE_EQ(table.at(1), 90) << "on the line to P(0) = 0";
  EXPECT_DOUBLE_EQ(table.at(0), 0);
  EXPECT_DOUBLE_EQ(table.at(-1), 0);
}

TEST(SpeedTable, LinearDoesNotSaturateWithinItsCores) {
  const SpeedTable table = SpeedTable::linear(7, 8);
  for (int k = 1; k <= 8; ++k) EXPECT_DOUBLE_EQ(table.at(k), 7.0 * k);
  EXPECT_DOUBLE_EQ(SpeedTable::linear(7, 1).at(1), 7);
}

TEST(SpeedTable, IntervalsAreInterpolatedLikeValues) {
  const SpeedTable table = SpeedTable::with_intervals({{1, 100, 90, 120}, {3, 200, 190, 0}});
  EXPECT_DOUBLE_EQ(table.at(1, Bound::low), 90);
  EXPECT_DOUBLE_EQ(table.at(1, Bound::high), 120);
  EXPECT_DOUBLE_EQ(table.at(2, Bound::low), 140);
  EXPECT_DOUBLE_EQ(table.at(2, Bound::high), 160);
  EXPECT_DOUBLE_EQ(table.at(3, Bound::high), 200) << "not known: the value itself";
}

TEST(SpeedTable, RefusesInvalidSpeeds) {
  EXPECT_THROW(SpeedTable(Points{}), Error);
  EXPECT_THROW(SpeedTable(Points{{0, 1}}), Error);
  EXPECT_THROW(SpeedTable(Points{{1, 0}}), Error);
  EXPECT_THROW(SpeedTable(Points{{1, -5}}), Error);
  EXPECT_THROW(SpeedTable(Points{{1, std::numeric_limits<double>::quiet_NaN()}}), Error);
  EXPECT_THROW(SpeedTable(Points{{1, std::numeric_limits<double>::infinity()}}), Error);
  EXPECT_THROW(SpeedTable(Points{{2, 5}, {2, 6}}), Error);
  EXPECT_THROW(SpeedTable::with_intervals({{1, 100, 110, 120}}), Error);
  EXPECT_THROW(SpeedTable::with_intervals({{1, 100, 80, 90}}), Error);
}

}  // namespace
}  // namespace plait::model
