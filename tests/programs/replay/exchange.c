/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with known messages and a known slowest rank, for replays.
 *
 * exchange ITERATIONS WORK BYTES: each iteration computes (rank 1 half as much again as the
 * others), passes BYTES to the right by Irecv and Isend, polls for one of them, does a Sendrecv of
 * 8 bytes to the left, sends one message to rank 0, which receives from any source, and ends with a
 * broadcast and an allreduce. That is 2 messages per rank, and one more for each rank but 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double sink;

static void work(long amount) {
  double sum = sink;
  for (long at = 0; at < amount; ++at) sum = sum * 0.999999 + 1e-6;
  sink = sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const int iterations = atoi(argv[1]);
  const long amount = atol(argv[2]);
  const int bytes = atoi(argv[3]);
  char* out = malloc((size_t)bytes + 1);
  char* in = malloc((size_t)bytes + 1);
  if (out == NULL || in == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  /* Sending pages that were never written is slower. */
  memset(out, 1, (size_t)bytes + 1);
  memset(in, 1, (size_t)bytes + 1);
  const int right = (rank + 1) % ranks;
  const int left = (rank + ranks - 1) % ranks;
  double value = rank;

  for (int iteration = 0; iteration < iterations; ++iteration) {
    work(rank == 1 ? amount + amount / 2 : amount);
    MPI_Request requests[2];
    MPI_Irecv(in, bytes, MPI_CHAR, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_CHAR, right, 1, MPI_COMM_WORLD, &requests[1]);
    for (int done = 0; !done;) MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);

    double other = 0;
    MPI_Sendrecv(&value, 1, MPI_DOUBLE, left, 2, &other, 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (rank != 0) MPI_Send(&value, 1, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
    for (int from = 1; rank == 0 && from < ranks; ++from) {
      MPI_Recv(&other, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Bcast(&other, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&value, &other, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
