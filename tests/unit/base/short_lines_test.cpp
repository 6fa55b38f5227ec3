// SPDX-License-Identifier: BSD-3-Clause
// Tests that text of other programs cannot overflow the stack of a regular expression.
#include "base/short_lines.hpp"

#include <gtest/gtest.h>

#include "base/mpi_library.hpp"

namespace plait {
namespace {

TEST(ShortLines, LongLinesAreCut) {
  EXPECT_EQ(with_short_lines("a\n\nb"), "a\n\nb");
  EXPECT_EQ(with_short_lines(std::string(600, 'x') + "\nyz"), std::string(500, 'x') + "\nyz");
  EXPECT_EQ(with_short_lines(""), "");
}

TEST(ShortLines, AVersionOfAnyLengthIsRead) {
  EXPECT_EQ(short_library("Open MPI v4.1.4, package: Debian"), "Open MPI 4.1.4");
  const std::string endless = "Open MPI v4" + std::string(10'000'000, '1');
  EXPECT_TRUE(short_library(endless).starts_with("Open MPI 41111"));
}

}  // namespace
}  // namespace plait
