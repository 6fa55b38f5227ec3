// SPDX-License-Identifier: BSD-3-Clause
// Operations that are slower than others that do their work.
#include "tune/guidelines.hpp"

#include <gtest/gtest.h>

namespace plait::tune {
namespace {

TEST(Guidelines, AnAllreduceIsNotSlowerThanReduceAndBcast) {
  const std::vector<TimedOperation> timed{{"MPI_Allreduce", 4, 65536, 80e-6},
                                          {"MPI_Reduce", 4, 65536, 30e-6},
                                          {"MPI_Bcast", 4, 65536, 20e-6},
                                          {"MPI_Bcast", 4, 8, 21e-6}};
  const std::vector<Violation> violations = violations_of(timed);
  ASSERT_EQ(violations.size(), 1U) << "5 % are noise";
  EXPECT_EQ(violations[0].sentence(),
            "MPI_Allreduce of 64 KiB took 80.0 us, MPI_Reduce and MPI_Bcast 50.0 us");
  EXPECT_DOUBLE_EQ(violations[0].promise(), 1.6);
  EXPECT_EQ(violation_near(violations, "MPI_Allreduce", 4, 100000), &violations[0]);
  EXPECT_EQ(violation_near(violations, "MPI_Allreduce", 2, 65536), nullptr);
  EXPECT_EQ(violation_near(violations, "MPI_Allreduce", 4, 1000), nullptr);
}

TEST(Guidelines, MoreDataTakesNotLess) {
  const std::vector<Violation> violations =
      violations_of({{"MPI_Alltoall", 2, 1024, 9e-6}, {"MPI_Alltoall", 2, 4096, 6e-6}});
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_EQ(violations[0].mock_up, "MPI_Alltoall of 4 KiB");
}

TEST(Guidelines, OnlyUsableFiguresOfAMachineFileCount) {
  machine::Measured measured;
  machine::CollectivePoint point{"bcast", 2, 1, 8, {}};
  point.time_us.median = 2;
  measured.collectives = {point, point};
  measured.collectives[1].time_us.unusable = "disturbed";
  const std::vector<TimedOperation> timed = timed_operations(measured);
  ASSERT_EQ(timed.size(), 1U);
  EXPECT_EQ(timed[0].operation, "MPI_Bcast");
  EXPECT_DOUBLE_EQ(timed[0].seconds, 2e-6);
}

}  // namespace
}  // namespace plait::tune
