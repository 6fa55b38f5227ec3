// SPDX-License-Identifier: BSD-3-Clause
// Counts failed checks on all ranks of an MPI test and ends the test with the result.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <string>

namespace plait::test {

class Checks {
public:
  /// Counts a check, and prints the first few failures of this rank.
  void expect(bool holds, const std::string& what) {
    ++count_;
    if (holds || ++failures_ > 5) return;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(stderr, "rank %d: failed: %s\n", rank, what.c_str());
  }

  /// Collective over MPI_COMM_WORLD. Rank 0 prints the result.
  /// @return exit code of the program
  int finish(const char* name) const {
    long totals[2] = {count_, failures_};
    MPI_Allreduce(MPI_IN_PLACE, totals, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
      std::printf("%s: %ld checks on %d ranks, %ld failed\n", name, totals[0], size, totals[1]);
    }
    return totals[1] == 0 ? 0 : 1;
  }

private:
  long count_ = 0;
  long failures_ = 0;
};

}  // namespace plait::test
