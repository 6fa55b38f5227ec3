// SPDX-License-Identifier: BSD-3-Clause
// The common name of the forms of a collective call.
#include "trace/collective_name.hpp"

#include <gtest/gtest.h>

namespace plait::trace {
namespace {

TEST(CollectiveName, IsThatOfTheBlockingCall) {
  for (const char* name :
       {"MPI_Bcast", "MPI_Ibcast", "MPI_Bcast_init", "MPI_Bcast_c", "MPI_Bcast_init_c"}) {
    EXPECT_EQ(blocking_name(name), "Bcast") << name;
  }
  EXPECT_EQ(blocking_name("MPI_Ireduce_scatter_block_c"), "Reduce_scatter_block");
  EXPECT_EQ(blocking_name("MPI_Intercomm_merge"), "Intercomm_merge");
}

}  // namespace
}  // namespace plait::trace
