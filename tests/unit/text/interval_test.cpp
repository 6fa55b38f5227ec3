// SPDX-License-Identifier: BSD-3-Clause
// Ranges and intervals.
#include "text/interval.hpp"

#include <gtest/gtest.h>

#include "text/ratio.hpp"
#include "text/units.hpp"

namespace plait {
namespace {

TEST(Ranges, have_their_unit_once_if_it_is_the_same) {
  EXPECT_EQ(format_range(1.2, 1.3, format_seconds), "1.20 to 1.30 s");
  EXPECT_EQ(format_range(0.95, 1.05, format_seconds), "950 ms to 1.05 s");
  EXPECT_EQ(format_range(1.2, 1.2001, format_seconds), "1.20 s");
  EXPECT_EQ(format_range(1.2, 1.3, format_ratio), "1.20 to 1.30");
  EXPECT_EQ(format_range(3000, 7500, format_seconds), "3000 s to 2h05m");
  EXPECT_EQ(format_range(7200, 7500, format_seconds), "2h00m to 2h05m");
}

TEST(Ranges, are_narrow_in_tables) {
  EXPECT_EQ(format_range(1.2, 1.3, format_seconds, Ends::close), "1.20-1.30 s");
  EXPECT_EQ(format_range("5664", "5900", Ends::close), "5664-5900");
}

TEST(Intervals, follow_their_value) {
  EXPECT_EQ(format_interval(12.3, 12.1, 12.6, format_seconds), "12.3 s (12.1 to 12.6)");
  EXPECT_EQ(format_interval(12.3, 12.1, 12.6, format_seconds, Ends::close), "12.3 s (12.1-12.6)");
  EXPECT_EQ(format_interval(0.998, 0.995, 1.02, format_seconds), "998 ms (995 ms to 1.02 s)");
  EXPECT_EQ(format_interval(1.01, 0.995, 0.998, format_seconds), "1.01 s (995 to 998 ms)");
  EXPECT_EQ(format_interval(1.45, 1.40, 1.50, format_ratio), "1.45 (1.40 to 1.50)");
  EXPECT_EQ(format_interval(12.3, 12.29, 12.31, format_seconds), "12.3 s");
}

TEST(Ratios, have_two_decimals_below_10) {
  EXPECT_EQ(format_ratio(0.834), "0.83");
  EXPECT_EQ(format_ratio(1), "1.00");
  EXPECT_EQ(format_ratio(9.994), "9.99");
  EXPECT_EQ(format_ratio(9.996), "10.0");
  EXPECT_EQ(format_ratio(123.4), "123");
  EXPECT_EQ(format_ratio(0.0123), "0.0123");
}

TEST(Changes, have_a_sign) {
  EXPECT_EQ(format_change(2, 2.1), "+5.0 %");
  EXPECT_EQ(format_change(2, 1), "-50.0 %");
  EXPECT_EQ(format_change(2, 24.6), "12.3 times");
  EXPECT_EQ(format_points(-0.012), "-1.2 points");
  EXPECT_EQ(format_change_of_seconds(1.2), "+1.20 s");
  EXPECT_EQ(format_change_of_seconds(-0.15), "-150 ms");
  EXPECT_EQ(format_change_of_seconds(1e-10), "same");
}

}  // namespace
}  // namespace plait
