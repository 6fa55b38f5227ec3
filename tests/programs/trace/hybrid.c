/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenMP regions of two threads, each within a user region and around a message of the master. */
#include <mpi.h>
#include <omp.h>

int main(int argc, char** argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  volatile double sum[2][16] = {{0}};
  for (int step = 0; step < 10; ++step) {
    MPI_Pcontrol(1, "step");
#pragma omp parallel num_threads(2)
    {
      const int thread = omp_get_thread_num();
      for (int i = 0; i < 1000 * (thread + 1); ++i) sum[thread][0] += i;
#pragma omp barrier
      if (thread == 0)
        MPI_Sendrecv(&step, 1, MPI_INT, 1 - rank, step, (int*)&provided, 1, MPI_INT, 1 - rank, step,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Pcontrol(-1, "step");
  }
  return MPI_Finalize();
}
