// SPDX-License-Identifier: BSD-3-Clause
// The measured program: steps of a little work and an exchange of 8 bytes in a ring, every tenth
// with a sum over all ranks. Takes steps for at least half a second; prints the time of one, in us.
#include <mpi.h>

#include <cstdio>

namespace {

void work() {
  volatile int count = 0;
  while (count < 2000) count = count + 1;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr double kSeconds = 0.5;
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double mine = rank, other = 0, sum = 0;
  int goes_on = 1, steps = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  while (goes_on != 0) {
    for (int i = 0; i < 10; ++i, ++steps) {
      work();
      MPI_Sendrecv(&mine, 1, MPI_DOUBLE, (rank + 1) % size, 0, &other, 1, MPI_DOUBLE,
                   (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Allreduce(&other, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) goes_on = MPI_Wtime() - begin < kSeconds ? 1 : 0;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) std::printf("%.3f\n", (MPI_Wtime() - begin) / steps * 1e6);
  MPI_Finalize();
  return 0;
}
