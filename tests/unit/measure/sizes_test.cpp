// SPDX-License-Identifier: BSD-3-Clause
// Message sizes and the random order in which they are visited.
#include "measure/sizes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace plait::measure {
namespace {

TEST(Sizes, are_zero_and_the_powers_of_two_up_to_4_MiB) {
  const std::vector<std::uint64_t> sizes = message_sizes();
  ASSERT_EQ(sizes.size(), 24U);
  EXPECT_EQ(sizes[0], 0U);
  EXPECT_EQ(sizes[1], 1U);
  EXPECT_EQ(sizes.back(), 4194304U);
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
}

TEST(Sizes, a_random_order_visits_each_once_and_is_the_same_for_a_seed) {
  std::mt19937 random(kSeed);
  const std::vector<std::size_t> order = random_order(24, random);
  const std::vector<std::size_t> next = random_order(24, random);
  EXPECT_NE(order, next) << "each round has an order of its own";
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::vector<std::size_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i], i);
  std::mt19937 again(kSeed);
  EXPECT_EQ(random_order(24, again), order);
  EXPECT_TRUE(random_order(0, again).empty());
}

}  // namespace
}  // namespace plait::measure
