// SPDX-License-Identifier: BSD-3-Clause
// Lists of ranks in messages.
#include "base/name_ranks.hpp"

#include <gtest/gtest.h>

namespace plait {
namespace {

TEST(RankNames, are_at_most_four) {
  EXPECT_EQ(name_ranks({3}), "rank 3");
  EXPECT_EQ(name_ranks({1, 2}), "ranks 1 and 2");
  EXPECT_EQ(name_ranks({1, 2, 3, 4}), "ranks 1, 2, 3 and 4");
  EXPECT_EQ(name_ranks({1, 2, 3, 4, 5, 6}), "ranks 1, 2, 3 and 3 more");
}

}  // namespace
}  // namespace plait
