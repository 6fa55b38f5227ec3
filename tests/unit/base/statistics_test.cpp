// SPDX-License-Identifier: BSD-3-Clause
// The interval of the median against published tables.
#include "base/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plait {
namespace {

TEST(Statistics, ranks_of_the_median_interval_are_those_of_the_table) {
  // Le Boudec 2010, appendix A, table A.1 (95 %).
  EXPECT_EQ(median_interval_ranks(6), std::pair(1, 6));
  EXPECT_EQ(median_interval_ranks(7), std::pair(1, 7));
  EXPECT_EQ(median_interval_ranks(8), std::pair(1, 8));
  EXPECT_EQ(median_interval_ranks(9), std::pair(2, 8));
  EXPECT_EQ(median_interval_ranks(10), std::pair(2, 9));
  EXPECT_EQ(median_interval_ranks(12), std::pair(3, 10));
  EXPECT_EQ(median_interval_ranks(15), std::pair(4, 12));
  EXPECT_EQ(median_interval_ranks(20), std::pair(6, 15));
  EXPECT_EQ(median_interval_ranks(25), std::pair(8, 18));
  EXPECT_EQ(median_interval_ranks(30), std::pair(10, 21));
  EXPECT_EQ(median_interval_ranks(50), std::pair(18, 33));
  EXPECT_EQ(median_interval_ranks(70), std::pair(27, 44));
}

TEST(Statistics, for_many_samples_the_ranks_follow_the_normal_distribution) {
  for (const int n : {100, 1000, 10000}) {
    const auto [low, high] = median_interval_ranks(n);
    EXPECT_NEAR(low, n / 2.0 - 0.98 * std::sqrt(n), 1.5) << n;
    EXPECT_EQ(low + high, n + 1);
  }
}

TEST(Statistics, fewer_than_six_samples_give_no_interval_of_95_percent) {
  const MedianInterval five = median_interval({5, 1, 4, 2, 3});
  EXPECT_FALSE(five.covers);
  EXPECT_DOUBLE_EQ(five.low, 1);
  EXPECT_DOUBLE_EQ(five.high, 5);
  EXPECT_TRUE(std::isinf(five.relative_width()));
  EXPECT_TRUE(median_interval({5, 1, 4, 2, 3, 6}).covers);
  EXPECT_FALSE(converged({1, 1, 1, 1, 1}, 0.1));
  EXPECT_TRUE(converged({1, 1, 1, 1, 1, 1}, 0.1));
}

TEST(Statistics, an_outlier_moves_neither_median_nor_interval) {
  const MedianInterval interval = median_interval({10, 10, 11, 10, 9, 10, 10, 11, 1000, 10});
  EXPECT_DOUBLE_EQ(interval.median, 10);
  EXPECT_DOUBLE_EQ(interval.low, 10);
  EXPECT_DOUBLE_EQ(interval.high, 11);
}

TEST(Statistics, the_median_of_an_even_count_is_the_mean_of_the_middle_two) {
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(median({}), 0);
}

TEST(Statistics, quantiles_are_interpolated) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 1), 4);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.9), 7);
}

}  // namespace
}  // namespace plait
