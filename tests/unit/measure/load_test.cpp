// SPDX-License-Identifier: BSD-3-Clause
// The number of runnable processes in /proc/loadavg.
#include "measure/load.hpp"

#include <gtest/gtest.h>

namespace plait::measure {
namespace {

TEST(Load, is_the_fourth_field) {
  EXPECT_EQ(runnable_in("0.20 0.18 0.12 3/80 11206\n"), 3);
  EXPECT_EQ(runnable_in("12.20 0.18 0.12 130/4080 11206"), 130);
}

TEST(Load, of_a_damaged_line_is_zero) {
  EXPECT_EQ(runnable_in(""), 0);
  EXPECT_EQ(runnable_in("0.20 0.18 0.12 3-80"), 0);
  EXPECT_EQ(runnable_in("0.20 0.18"), 0);
}

}  // namespace
}  // namespace plait::measure
