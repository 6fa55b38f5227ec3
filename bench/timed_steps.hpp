// SPDX-License-Identifier: BSD-3-Clause
// The loop of measured MPI programs whose result is the time of a step.
#pragma once

#include <mpi.h>

#include <cstdio>

namespace plait::bench {

/// Takes steps for at least this time, until rank 0 has looked at the clock, which it does after
/// every `between` steps. Rank 0 prints the time of a step, in us. Collective.
template <typename Step>
void print_step_time(int between, Step step, double seconds = 0.5) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int goes_on = 1, steps = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  while (goes_on != 0) {
    for (int i = 0; i < between; ++i, ++steps) step(i);
    if (rank == 0) goes_on = MPI_Wtime() - begin < seconds ? 1 : 0;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) std::printf("%.3f\n", (MPI_Wtime() - begin) / steps * 1e6);
}

}  // namespace plait::bench
