// SPDX-License-Identifier: BSD-3-Clause
// All-to-all exchanges with fewer ranks per node, against sums by hand.
#include "model/all_to_all.hpp"

#include <gtest/gtest.h>

namespace plait::model {
namespace {

Interval sharp(double value) {
  return {value, value, value};
}

/// One pair has 1 byte per second, several have 2.
LinkOfSize link(double latency_s) {
  return [=](std::uint64_t) { return Link{sharp(latency_s), sharp(1), sharp(2)}; };
}

TEST(AllToAll, CostsItsBytesAndALatencyPerMessage) {
  // 2 nodes of 4 ranks: half of the 64 bytes of a node stay. A rank waits for 4 and 3 latencies.
  const AllToAll now{8, 4, 4, 4, 64};
  EXPECT_DOUBLE_EQ(*all_to_all_s(now, link(0.5), link(0.1), Bound::value),
                   32 / 2 + 4 * 0.5 + 32 / 2 + 3 * 0.1);
  EXPECT_DOUBLE_EQ(*all_to_all_s({2, 1, 1, 4, 64}, link(0.5), link(0), Bound::value), 32 + 0.5 + 16)
      << "one rank has one pair's bandwidth";
  const LinkOfSize unknown = [](std::uint64_t) { return std::optional<Link>(); };
  EXPECT_FALSE(all_to_all_s(now, unknown, link(0), Bound::value));
  EXPECT_TRUE(all_to_all_s({4, 4, 4, 4, 64}, unknown, link(0), Bound::value))
      << "one node has no network";
}

TEST(AllToAll, NamesTheFewerRanksWhoseMessagesAreFastest) {
  const auto choices = fewer_ranks({{8, 4, 4, 4, 64}}, link(4), link(0));
  ASSERT_EQ(choices.size(), 2U);
  // Now 16 + 4 x 4 + 16 s; 2 ranks: 16 + 2 x 4 + 16; 1 rank: 32 + 4 + 16.
  EXPECT_EQ(choices[0].ranks_per_node, 2);
  EXPECT_EQ(choices[0].threads, 2);
  EXPECT_DOUBLE_EQ(choices[0].share.s, 40.0 / 48);
  EXPECT_DOUBLE_EQ(choices[1].share.s, 52.0 / 48);
}

TEST(AllToAll, TakesRanksFromRowsOfPencilsFirst) {
  // Pencils of 2 x 6 on 3 nodes of 4 ranks: rows of two neighbours, columns with two ranks on each
  // node. Rows exchange twice as often.
  const AllToAll row{2, 2, 4, 4, 12, 2}, column{6, 2, 4, 4, 12, 1};
  const auto choices = fewer_ranks({row, column}, link(1), link(0));
  ASSERT_EQ(choices.size(), 2U);
  // Now the row takes 2 x 12 / 2 s, and the column 8 / 2 + 4 x 1 + 4 / 2 s.
  constexpr double now_s = 12 + 4 + 4 + 2;
  EXPECT_EQ(choices[0].ranks_per_node, 2);
  EXPECT_DOUBLE_EQ(choices[0].share.s, (12 + 4 + 4 + 2) / now_s) << "columns are the same";
  EXPECT_EQ(choices[1].ranks_per_node, 1);
  EXPECT_DOUBLE_EQ(choices[1].share.s, (12 + 8 + 2 + 2) / now_s);
  EXPECT_EQ(fewer_ranks({row}, link(1), link(0)).size(), 1U) << "no column to take ranks from";
}

TEST(AllToAll, AllowsANodeWithFewerRanks) {
  EXPECT_EQ(fewer_ranks({{7, 4, 4, 4, 64}}, link(4), link(0)).size(), 2U);
}

TEST(AllToAll, HasTheIntervalOfTheLinks) {
  const LinkOfSize wide = [](std::uint64_t) { return Link{{4, 2, 8}, sharp(1), sharp(2)}; };
  const auto choices = fewer_ranks({{4, 2, 2, 2, 64}}, wide, link(0));
  ASSERT_EQ(choices.size(), 1U);
  // (32 + L + 16) / (16 + 2 L + 16).
  EXPECT_DOUBLE_EQ(choices[0].share.s, 52.0 / 40);
  EXPECT_DOUBLE_EQ(choices[0].share.low_s, 56.0 / 48);
  EXPECT_DOUBLE_EQ(choices[0].share.high_s, 50.0 / 36);
}

}  // namespace
}  // namespace plait::model
