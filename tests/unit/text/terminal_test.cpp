// SPDX-License-Identifier: BSD-3-Clause
// Display widths, truncation, and numbers with units.
#include "text/terminal.hpp"

#include <gtest/gtest.h>

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

TEST(Printable, replaces_what_controls_a_terminal) {
  EXPECT_EQ(printable("a\033[2J\tb\xff\u009b\u202e", true), "a?[2J?b???");
  EXPECT_EQ(printable("\u00e9\u2265", true), "\u00e9\u2265");
  EXPECT_EQ(printable("\u00e9\u2265", false), "??");
}

TEST(Wrapping, breaks_at_blanks_and_marks_omitted_text) {
  EXPECT_EQ(wrap("one two three", 7, 5), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("one two three", 8, 5), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("onetwothree", 4, 5), (std::vector<std::string>{"onet", "woth", "ree"}));
  EXPECT_EQ(wrap("one two three four", 7, 2), (std::vector<std::string>{"one two", "thre..."}));
  EXPECT_EQ(wrap("takes 61 % of it", 9, 5), (std::vector<std::string>{"takes", "61 % of", "it"}));
  EXPECT_TRUE(wrap("", 7, 2).empty());
}

TEST(Numbers, have_units) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(1.8e-8), "18.0 ns");
  EXPECT_EQ(format_seconds(0.00456), "4.56 ms");
  EXPECT_EQ(format_seconds(0.99996), "1.00 s");
  EXPECT_EQ(format_seconds(123.4), "123 s");
  EXPECT_EQ(format_seconds(7500), "2h05m");
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(32000), "31.2 KiB");
  EXPECT_EQ(format_bytes(1048575), "1.00 MiB");
  EXPECT_EQ(format_count(99999), "99999");
  EXPECT_EQ(format_count(123456), "123 k");
  EXPECT_EQ(format_count(123456789), "123 M");
}

TEST(Percentages, are_100_only_for_the_whole) {
  EXPECT_EQ(format_percent(1), "100 %");
  EXPECT_EQ(format_percent(0.9999), "99.9 %");
  EXPECT_EQ(format_percent(0.82), "82 %");
  EXPECT_EQ(format_percent(0.034), "3.4 %");
  EXPECT_EQ(format_percent(0.0001), "<0.1 %");
  EXPECT_EQ(format_percent(0), "0 %");
}

}  // namespace
}  // namespace plait
