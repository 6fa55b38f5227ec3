// SPDX-License-Identifier: BSD-3-Clause
// Long times as a user types them, and figures in the output of programs.
#include "base/duration.hpp"

#include <gtest/gtest.h>

#include "base/figure_in_text.hpp"

namespace plait {
namespace {

TEST(Duration, HasSecondsMinutesOrHours) {
  EXPECT_DOUBLE_EQ(parse_duration("90s"), 90);
  EXPECT_DOUBLE_EQ(parse_duration("30min"), 1800);
  EXPECT_DOUBLE_EQ(parse_duration("1.5 h"), 5400);
  for (const char* text : {"30", "", "s", "-1s", "0min", "1 day"}) {
    EXPECT_THROW(parse_duration(text), Error) << text;
  }
}

TEST(FigureInText, IsTheFirstNumberOfTheFirstGroup) {
  const std::regex expression = figure_expression("--metric", "took ([0-9.]+)");
  EXPECT_EQ(figure_in("a\ntook 2.5 s\ntook 3 s\n", expression), 2.5);
  EXPECT_FALSE(figure_in("took none", expression).has_value());
  EXPECT_FALSE(figure_in("took 1", figure_expression("--metric", "took 1")).has_value());
  EXPECT_THROW(figure_expression("--metric", "("), Error);
}

}  // namespace
}  // namespace plait
