// SPDX-License-Identifier: BSD-3-Clause
// Display widths, and shortening to a width.
#include "text/terminal.hpp"

#include <gtest/gtest.h>

#include "text/style.hpp"

namespace plait {
namespace {

TEST(DisplayWidth, counts_columns_not_bytes) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("\u2265\u00e9"), 2U);
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("\u6d41"), 2U);
  EXPECT_EQ(display_width("\xff\xfe"), 2U);
  EXPECT_EQ(display_width("\xe6\xb5"), 2U);  // cut within a character
}

TEST(DisplayWidth, does_not_count_colours) {
  EXPECT_EQ(display_width(paint("abc", Paint::red, true)), 3U);
  EXPECT_EQ(display_width("\033[31"), 4U);  // the sequence has no end
  EXPECT_EQ(start_of(paint("abc", Paint::red, true), 2), "\033[31mab");
  EXPECT_EQ(pad(paint("abc", Paint::red, true), 5), paint("abc", Paint::red, true) + "  ");
}

TEST(Truncation, never_cuts_a_character) {
  const std::string text = "\u6d41\u4f53\u6d41\u4f53\u6d41\u4f53";
  for (std::size_t width = 0; width <= 12; ++width) {
    for (const std::string& cut : {truncate(text, width), truncate_middle(text, width)}) {
      EXPECT_LE(display_width(cut), width);
      EXPECT_EQ(printable(cut, true), cut);
    }
  }
  EXPECT_EQ(truncate("abcdefgh", 6), "abc...");
  EXPECT_EQ(truncate_middle("abcdefghij", 7), "ab...ij");
  EXPECT_EQ(truncate("abc", 3), "abc");
}

TEST(Abridging, keeps_the_first_parts_and_the_last_one) {
  EXPECT_EQ(abridge("0 1 2 3 4 127", 13), "0 1 2 3 4 127");
  EXPECT_EQ(abridge("0 1 2 3 4 127", 12), "0 1 ... 127");
  EXPECT_EQ(abridge("0 1 2 3 4 127", 9), "0 ... 127");
  EXPECT_EQ(abridge("0 1 2 3 4 127", 8), "0 1 2...");  // no room for both ends
  EXPECT_EQ(abridge("0123456789", 6), "012...");
  EXPECT_EQ(abridge_commas("0-3,8,16,24,120-127", 17), "0-3,8,...,120-127");
  EXPECT_EQ(abridge_commas("0-3,8,16", 8), "0-3,8,16");
}

TEST(Printable, replaces_what_controls_a_terminal) {
  EXPECT_EQ(printable("a\033[2J\tb\xff\u009b\u202e", true), "a?[2J?b???");
  EXPECT_EQ(printable("\033[31m", true), "?[31m");
  EXPECT_EQ(printable("\u00e9\u2265", true), "\u00e9\u2265");
  EXPECT_EQ(printable("\u00e9\u2265", false), "??");
}

TEST(Padding, fills_with_blanks) {
  EXPECT_EQ(pad("ab", 4), "ab  ");
  EXPECT_EQ(pad("ab", 4, true), "  ab");
  EXPECT_EQ(pad("abcde", 4), "abcde");
  EXPECT_EQ(without_trailing_blanks(" ab  "), " ab");
  EXPECT_EQ(without_trailing_blanks("   "), "");
}

}  // namespace
}  // namespace plait
