/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls an entry point that no profiler knows, in a library that is not an MPI library. */
#include <mpi.h>

extern int MPI_Plait_unknown(void);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int answer = MPI_Plait_unknown();
  const double now = MPI_Wtime();
  MPI_Finalize();
  return answer == 42 && now >= 0 ? 0 : 1;
}
