// SPDX-License-Identifier: BSD-3-Clause
// Breaking texts into lines.
#include "text/wrap.hpp"

#include <gtest/gtest.h>

#include "text/style.hpp"

namespace plait {
namespace {

using Lines = std::vector<std::string>;

TEST(Wrapping, breaks_at_blanks) {
  EXPECT_EQ(wrap("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrap("one two three", 8), (Lines{"one two", "three"}));
  EXPECT_EQ(wrap("one  two", 4), (Lines{"one", "two"}));
  EXPECT_TRUE(wrap("", 7).empty());
}

TEST(Wrapping, keeps_a_number_beside_its_unit) {
  EXPECT_EQ(wrap("takes 61 % of it", 9), (Lines{"takes", "61 % of", "it"}));
  EXPECT_EQ(wrap("speed 587 MLUP/s", 9), (Lines{"speed", "587", "MLUP/s"}));
  EXPECT_EQ(wrap("speed 587 MLUP/s.", 11), (Lines{"speed", "587 MLUP/s."}));
  EXPECT_EQ(wrap("on 2 nodes", 6), (Lines{"on 2", "nodes"}));
}

TEST(Wrapping, marks_omitted_text_after_a_whole_word) {
  EXPECT_EQ(wrap("one two three four", 7, 2), (Lines{"one two", "thre..."}));
  EXPECT_EQ(wrap("one two three four", 9, 2), (Lines{"one two", "three ..."}));
  EXPECT_EQ(wrap("one two\nthree", 12, 1), (Lines{"one two ..."}));
  EXPECT_EQ(wrap("one two\n", 12, 1), (Lines{"one two"}));
}

TEST(Wrapping, breaks_at_line_ends) {
  EXPECT_EQ(wrap("one\n\ntwo three", 5), (Lines{"one", "", "two", "three"}));
  EXPECT_EQ(wrap("onetwo\nthree", 3), (Lines{"one", "two", "thr", "ee"}));
}

TEST(Wrapping, breaks_what_is_wider_than_a_line_or_keeps_it_whole) {
  EXPECT_EQ(wrap("onetwothree", 4), (Lines{"onet", "woth", "ree"}));
  const auto whole = [](std::string_view text) { return wrap(text, 4, kAllLines, TooWide::whole); };
  EXPECT_EQ(whole("a /long/path b"), (Lines{"a", "/long/path", "b"}));
  EXPECT_EQ(whole("/long/path\nb"), (Lines{"/long/path", "b"}));
  EXPECT_EQ(wrap("\u6d41\u4f53", 0), (Lines{"\u6d41", "\u4f53"}));  // never without progress
}

TEST(Wrapping, indents_beside_a_label) {
  EXPECT_EQ(wrap_beside("note: ", "one two three", 13), (Lines{"note: one two", "      three"}));
  const std::string label = paint("note: ", Paint::dim, true);
  EXPECT_EQ(wrap_beside(label, "one two three", 13), (Lines{label + "one two", "      three"}));
  EXPECT_TRUE(wrap_beside("note: ", "", 13).empty());
}

TEST(Wrapping, breaks_a_command_so_that_it_can_be_copied) {
  EXPECT_EQ(wrap_command("After: ", {"mpiexec", "-n", "4", "./app"}, 40),
            (Lines{"After: mpiexec -n 4 ./app"}));
  EXPECT_EQ(wrap_command("After: ", {"mpiexec", "-n", "4", "./app"}, 20),
            (Lines{"After: mpiexec -n \\", "       4 ./app"}));
  EXPECT_EQ(wrap_command("", {"env", "'A=one two three'", "b"}, 10),
            (Lines{"env \\", "'A=one two three' \\", "b"}));
  EXPECT_EQ(wrap_command("", {"env", "app"}, 7), (Lines{"env app"}));
}

TEST(Wrapping, joins_lines) {
  EXPECT_EQ(joined_lines({"a", "", "b"}), "a\n\nb\n");
}

}  // namespace
}  // namespace plait
