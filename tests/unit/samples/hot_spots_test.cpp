// SPDX-License-Identifier: BSD-3-Clause
// Shares with their intervals, hot spots, and what differs between ranks.
#include "samples/hot_spots.hpp"

#include <gtest/gtest.h>

#include "made_tree.hpp"

namespace plait::samples {
namespace {

TEST(HotSpots, wilson_interval) {
  // From the table of R. G. Newcombe, Statistics in Medicine 17 (1998) 857: 81 of 263.
  const Share share = share_of(81, 263);
  EXPECT_NEAR(share.value, 0.3080, 5e-5);
  EXPECT_NEAR(share.low, 0.2553, 5e-5);
  EXPECT_NEAR(share.high, 0.3662, 5e-5);
  const Share none = share_of(0, 20);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.1611, 5e-5);
  EXPECT_EQ(share_of(321, 321).high, 1);
  EXPECT_EQ(share_of(0, 0), (Share{0, 0, 1}));
}

TEST(HotSpots, hottest_first) {
  const std::vector<HotSpot> spots = hot_spots(test::made_tree(), 2, 2);
  ASSERT_EQ(spots.size(), 2);
  EXPECT_EQ(spots[0].function, 4);
  EXPECT_DOUBLE_EQ(spots[0].share.value, 0.5);
  EXPECT_DOUBLE_EQ(spots[0].seconds, 6);
  EXPECT_EQ(spots[0].worst_rank, 1);
  EXPECT_DOUBLE_EQ(spots[0].worst_ratio, 1.5);
  EXPECT_EQ(spots[0].worst_thread, 0);
  EXPECT_DOUBLE_EQ(spots[0].explains_imbalance, 0.75);
  EXPECT_EQ(spots[1].function, 3);
  EXPECT_EQ(spots[1].line, 12);
  EXPECT_DOUBLE_EQ(spots[1].explains_imbalance, 0);
}

TEST(HotSpots, difference_names_the_outermost_cause) {
  const auto differs = difference(test::made_tree(), 2);
  ASSERT_TRUE(differs);
  EXPECT_EQ(differs->function, 1);  // not main, which solves too, nor what it calls
  EXPECT_EQ(differs->line, 62);
  EXPECT_EQ(differs->rank, 1);
  EXPECT_DOUBLE_EQ(differs->rank_s, 6);
  EXPECT_DOUBLE_EQ(differs->mean_s, 4);
  EXPECT_DOUBLE_EQ(differs->explains, 1);
}

TEST(HotSpots, difference_is_named_with_few_samples) {
  // Noise gives solve() a third more on rank 1, so that main() differs by nearly the same ratio.
  CallTree tree = test::made_tree();
  tree.counts = {{2, 0, State::code, 30},
                 {2, 1, State::code, 146},
                 {5, 0, State::code, 20},
                 {5, 1, State::code, 30}};
  const auto differs = difference(tree, 2);
  ASSERT_TRUE(differs);
  EXPECT_EQ(differs->function, 1);
  // If solve() differs like assemble(), main() calls both more often.
  tree.counts[3].samples = 100;
  EXPECT_EQ(difference(tree, 2).value().function, 0);
}

TEST(HotSpots, no_difference_within_the_noise) {
  CallTree tree = test::made_tree();
  tree.counts = {{5, 0, State::code, 100}, {5, 1, State::code, 110}};
  EXPECT_FALSE(difference(tree, 2));
  EXPECT_FALSE(difference(tree, 1));
  tree.counts.clear();
  EXPECT_FALSE(difference(tree, 2));
  EXPECT_TRUE(hot_spots(tree, 2, 5).empty());
}

TEST(HotSpots, states) {
  EXPECT_EQ(samples_by_state(test::made_tree()), (std::vector<std::uint64_t>{1200, 400, 0, 0}));
}

}  // namespace
}  // namespace plait::samples
