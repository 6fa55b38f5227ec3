// SPDX-License-Identifier: BSD-3-Clause
// What the members of collective calls need from each other.
#include "check/collective_flow.hpp"

#include <gtest/gtest.h>

namespace plait::check {
namespace {

TEST(CollectiveFlow, WhoNeedsWhom) {
  EXPECT_EQ(flow_of("MPI_Ibarrier"), Flow::all);
  EXPECT_EQ(flow_of("MPI_Scatterv_c"), Flow::from_root);
  EXPECT_EQ(flow_of("MPI_Reduce"), Flow::to_root);
  EXPECT_EQ(flow_of("MPI_Alltoallw"), Flow::exchange);
  EXPECT_EQ(flow_of("MPI_Neighbor_alltoall"), Flow::none);
  EXPECT_EQ(flow_of("MPI_Win_fence"), Flow::none);
}

}  // namespace
}  // namespace plait::check
