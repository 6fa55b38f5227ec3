// SPDX-License-Identifier: BSD-3-Clause
// Counts, alone and with their nouns; extents.
#include "text/counted.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "text/extents.hpp"

namespace plait {
namespace {

TEST(Counts, are_exact_up_to_99999) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(99999), "99999");
  EXPECT_EQ(format_count(123456), "123 k");
  EXPECT_EQ(format_count(999499), "999 k");
  EXPECT_EQ(format_count(999500), "1.00 M");
  EXPECT_EQ(format_count(123456789), "123 M");
}

TEST(Counts, have_nouns_in_the_singular_or_the_plural) {
  EXPECT_EQ(counted(1, "rank"), "1 rank");
  EXPECT_EQ(counted(0, "rank"), "0 ranks");
  EXPECT_EQ(counted(2U, "process", "processes"), "2 processes");
  EXPECT_EQ(counted(1L, "process", "processes"), "1 process");
  EXPECT_EQ(counted(std::size_t{1230000}, "message"), "1.23 M messages");
}

TEST(Extents, have_an_x_between_them) {
  EXPECT_EQ(format_extents(std::array{120, 120, 60}), "120x120x60");
  EXPECT_EQ(format_extents(std::vector<long>{4, 2}), "4x2");
}

}  // namespace
}  // namespace plait
