// SPDX-License-Identifier: BSD-3-Clause
// Tables.
#include "text/table.hpp"

#include <gtest/gtest.h>

namespace plait {
namespace {

using Lines = std::vector<std::string>;

TableLook wide(std::size_t width) {
  TableLook look;
  look.width = width;
  return look;
}

TEST(Tables, have_columns_as_wide_as_their_cells) {
  Table table({text_column("path"), number_column("pairs"), text_column("")});
  EXPECT_TRUE(table.empty());
  table.add({"same core", "1", "a"});
  table.add({"network", "120"});
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(table.lines(), (Lines{"path       pairs",     //
                                  "same core      1  a",  //
                                  "network      120"}));
  EXPECT_EQ(table.text(), "path       pairs\nsame core      1  a\nnetwork      120\n");
}

TEST(Tables, may_have_no_titles_and_an_indent) {
  TableLook look;
  look.indent = 2;
  Table table({text_column(""), number_column("")}, look);
  table.add({"before", "1.20 s"});
  table.add({"after", "900 ms"});
  EXPECT_EQ(table.lines(), (Lines{"  before  1.20 s", "  after   900 ms"}));
}

TEST(Tables, have_titles_of_several_lines_at_the_bottom) {
  Table table({text_column("method"), number_column("bytes\nbetween")});
  table.add({"block", "4 MiB"});
  EXPECT_EQ(table.lines(), (Lines{"          bytes", "method  between", "block     4 MiB"}));
}

TEST(Tables, count_columns_of_a_terminal) {
  Table table({text_column(""), text_column("")});
  table.add({"\u6d41", "a"});
  table.add({"\u00e9", "b"});
  table.add({paint("red", Paint::red, true), "c"});
  EXPECT_EQ(table.lines(), (Lines{"\u6d41   a", "\u00e9    b", "\033[31mred\033[0m  c"}));
}

TEST(Tables, are_fitted_by_single_blanks_first) {
  Table table({text_column("", truncate), text_column(""), text_column("")}, wide(11));
  table.add({"long", "is", "text"});
  EXPECT_EQ(table.lines(), (Lines{"long is text"}));  // too short to be shortened
  Table fitting({text_column("", truncate), text_column(""), text_column("")}, wide(12));
  fitting.add({"long", "is", "text"});
  EXPECT_EQ(fitting.lines(), (Lines{"long is text"}));
}

TEST(Tables, shorten_the_widest_column_that_may_be_shortened) {
  Table table({text_column("", truncate), text_column("", truncate_middle), text_column("")},
              wide(24));
  table.add({"shorter", "the longest of all", "untouched"});
  EXPECT_EQ(table.lines(), (Lines{"sho... th...ll untouched"}));
}

TEST(Tables, shorten_long_lists_before_blanks) {
  Table table({text_column("name", truncate), text_column("list", abridge)}, wide(46));
  table.add({"a short name", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"});
  EXPECT_EQ(table.lines(), (Lines{"name          list",  //
                                  "a short name  0 1 2 3 4 5 6 7 8 9 10 11 ... 15"}));
}

TEST(Tables, are_as_narrow_as_their_shortened_cells) {
  const auto first_word = [](std::string_view text, std::size_t) {
    return std::string(text.substr(0, text.find(' ')));
  };
  Table table({text_column("", first_word), text_column("")}, wide(12));
  table.add({"short and long", "next"});
  EXPECT_EQ(table.lines(), (Lines{"short next"}));
}

TEST(Tables, wrap_cells) {
  Table table({number_column("id"), wrapped_column("parts", 2)}, wide(12));
  table.add({"1", "one two three four five"});
  table.add({"2", "six"});
  EXPECT_EQ(table.lines(), (Lines{"id parts", " 1 one two", "   three ...", " 2 six"}));
}

TEST(Tables, have_cells_of_several_lines) {
  Table table({text_column("a"), text_column("b")});
  table.add({"1", "x\ny"});
  table.add({"2", "z"});
  EXPECT_EQ(table.lines(), (Lines{"a  b", "1  x", "   y", "2  z"}));
}

TEST(Tables, fold_columns_that_do_not_fit) {
  Table table(
      {number_column("n"), number_column("first"), number_column("second"), number_column("third")},
      wide(16));
  table.fold_beside(1);
  table.add({"1", "10", "20", "30"});
  EXPECT_EQ(table.lines(), (Lines{"n first second",  //
                                  "1    10     20",  //
                                  "n third",         //
                                  "1    30"}));
}

TEST(Tables, are_painted_by_row) {
  TableLook look;
  look.color = true;
  Table table({text_column("a")}, look);
  table.add({"1"}, Paint::bold);
  table.add({"2"});
  EXPECT_EQ(table.lines(), (Lines{"\033[2ma\033[0m", "\033[1m1\033[0m", "2"}));
}

}  // namespace
}  // namespace plait
