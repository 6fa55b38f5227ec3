// SPDX-License-Identifier: BSD-3-Clause
// The measured program: steps of a little work and an exchange of 8 bytes in a ring, every tenth
// with a sum over all ranks. Takes steps for at least half a second; prints the time of one, in us.
#include <mpi.h>

#include "../timed_steps.hpp"

namespace {

void work() {
  volatile int count = 0;
  while (count < 2000) count = count + 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double mine = rank, other = 0, sum = 0;
  constexpr int kBetween = 10;
  plait::bench::print_step_time(kBetween, [&](int step) {
    work();
    MPI_Sendrecv(&mine, 1, MPI_DOUBLE, (rank + 1) % size, 0, &other, 1, MPI_DOUBLE,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (step == kBetween - 1) MPI_Allreduce(&other, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  });
  MPI_Finalize();
  return 0;
}
