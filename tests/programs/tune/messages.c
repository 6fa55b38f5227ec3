// SPDX-License-Identifier: BSD-3-Clause
// Broadcasts and exchanges of fixed sizes in a ring; prints their time.
//
//   messages ROUNDS BROADCAST-BYTES EXCHANGE-BYTES
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  const int broadcast = argc > 2 ? atoi(argv[2]) : 0, exchange = argc > 3 ? atoi(argv[3]) : 0;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* const out = calloc((size_t)(broadcast > exchange ? broadcast : exchange) + 1, 1);
  char* const in = calloc((size_t)exchange + 1, 1);
  const double start = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) {
    if (broadcast > 0) MPI_Bcast(out, broadcast, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (exchange > 0) {
      MPI_Sendrecv(out, exchange, MPI_CHAR, (rank + 1) % ranks, 0, in, exchange, MPI_CHAR,
                   (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  if (rank == 0) printf("took %.6f s\n", MPI_Wtime() - start);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
