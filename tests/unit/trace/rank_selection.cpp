// SPDX-License-Identifier: BSD-3-Clause
// Tests of lists of ranks.
#include "trace/rank_selection.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace plait::trace {
namespace {

std::vector<int> selected(const char* list, int ranks) {
  std::vector<int> found;
  for (int rank = 0; rank < ranks; ++rank) {
    if (selects_rank(list, rank)) found.push_back(rank);
  }
  return found;
}

TEST(RankSelection, HasRanksRangesAndStrides) {
  EXPECT_EQ(selected("3", 8), (std::vector{3}));
  EXPECT_EQ(selected("0-2,5", 8), (std::vector{0, 1, 2, 5}));
  EXPECT_EQ(selected("1-2,%4", 10), (std::vector{0, 1, 2, 4, 8}));
  EXPECT_EQ(selected("2-2", 4), (std::vector{2}));
  EXPECT_EQ(selected("9", 4), std::vector<int>());
  EXPECT_EQ(selected("0-31,%64", 1000).size(), 47u);
}

TEST(RankSelection, RefusesWhatIsNotAList) {
  for (const char* text : {"", "x", "1,", ",1", "3-1", "1-", "-1", "%", "%0", "1 2", "1;2", "1-2-3",
                           "%-4", "99999999999", "0x1", "1,,2"}) {
    EXPECT_FALSE(is_rank_selection(text)) << text;
  }
  for (const char* text : {"0", "0-0", "%1", "0-31,%64", "7,5,3"}) {
    EXPECT_TRUE(is_rank_selection(text)) << text;
  }
  std::string list = "1";
  while (list.size() <= kLongestRankSelection) list += ",1";
  EXPECT_FALSE(is_rank_selection(list.c_str()));
  list.resize(kLongestRankSelection);
  EXPECT_TRUE(is_rank_selection(list.c_str()));
}

TEST(RankSelection, KnowsTheLargestRankThatItNames) {
  EXPECT_EQ(largest_named_rank("0-31,%64"), 31);
  EXPECT_EQ(largest_named_rank("40,2-7"), 40);
  EXPECT_EQ(largest_named_rank("%64"), -1);
}

}  // namespace
}  // namespace plait::trace
