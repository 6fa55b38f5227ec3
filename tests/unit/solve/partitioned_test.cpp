// SPDX-License-Identifier: BSD-3-Clause
// MPI libraries whose partitioned communication hangs are refused by name, without a probe.
#include "solve/schedules/partitioned.hpp"

#include <gtest/gtest.h>

namespace {

using plait::solve::known_partitioned_fault;

TEST(Partitioned, LibrariesThatHangAreRefusedByName) {
  const char* const open_mpi =
      "Open MPI v5.0.11, package: Open MPI root@host Distribution, ident: 5.0.11, repo rev: "
      "v5.0.11";
  EXPECT_NE(known_partitioned_fault(open_mpi), "");
  EXPECT_NE(known_partitioned_fault("Open MPI v5.0.1, package: Debian OpenMPI"), "");
}

TEST(Partitioned, OthersAreLeftToTheProbe) {
  EXPECT_EQ(known_partitioned_fault("Open MPI v5.0.12, package: Open MPI"), "");
  EXPECT_EQ(known_partitioned_fault("Open MPI v5.1.0, package: Open MPI"), "");
  EXPECT_EQ(known_partitioned_fault("Open MPI v4.1.4, package: Debian OpenMPI"), "");
  EXPECT_EQ(known_partitioned_fault("MPICH Version:\t5.0.2\nMPICH Release date:\tunreleased"), "");
  EXPECT_EQ(known_partitioned_fault(""), "");
}

}  // namespace
