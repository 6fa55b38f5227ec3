// SPDX-License-Identifier: BSD-3-Clause
// Nodes get cores in a cycle, and share them only if there are too few.
#include "cluster/cores.hpp"

#include <gtest/gtest.h>

#include "plait/error.hpp"

namespace plait::cluster {
namespace {

using Shares = std::vector<std::vector<int>>;

TEST(ShareCores, AllAreSharedOutEvenly) {
  EXPECT_EQ(share_cores(8, 2, 0), (Shares{{0, 1, 2, 3}, {4, 5, 6, 7}}));
}

TEST(ShareCores, WhatDoesNotDivideIsLeftOver) {
  EXPECT_EQ(share_cores(7, 3, 0), (Shares{{0, 1}, {2, 3}, {4, 5}}));
}

TEST(ShareCores, AsManyANodeAsAskedFor) {
  EXPECT_EQ(share_cores(8, 3, 1), (Shares{{0}, {1}, {2}}));
}

TEST(ShareCores, TooFewAreUsedInTurn) {
  EXPECT_EQ(share_cores(2, 5, 0), (Shares{{0}, {1}, {0}, {1}, {0}}));
  EXPECT_EQ(share_cores(3, 2, 2), (Shares{{0, 1}, {0, 2}}));
}

TEST(ShareCores, MoreThanThereAreIsAnError) {
  EXPECT_THROW(share_cores(2, 1, 3), Error);
  EXPECT_THROW(share_cores(2, 1, -1), Error);
}

}  // namespace
}  // namespace plait::cluster
