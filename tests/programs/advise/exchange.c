// SPDX-License-Identifier: BSD-3-Clause
// Computes, exchanges messages along the first axis of a grid of ROWS x N/ROWS ranks that MPI
// may reorder, and prints the time and how many pairs of neighbours lie on different nodes.
//
//   exchange SECONDS BYTES ROUNDS [ROWS]      (N rows without)
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/// The node of each rank of a communicator, by the world rank of its first process there.
static int node_of_this(void) {
  MPI_Comm node;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Bcast(&rank, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  return rank;
}

/// Pairs of neighbours on different nodes, on rank 0.
static int cut_of(MPI_Comm grid) {
  const int own = node_of_this();
  int cut = 0, sum = 0;
  for (int dimension = 0; dimension < 2; ++dimension) {
    int from, to, other = own;
    MPI_Cart_shift(grid, dimension, 1, &from, &to);
    MPI_Sendrecv(&own, 1, MPI_INT, to, 0, &other, 1, MPI_INT, from, 0, grid, MPI_STATUS_IGNORE);
    cut += other != own;
  }
  MPI_Reduce(&cut, &sum, 1, MPI_INT, MPI_SUM, 0, grid);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double seconds = argc > 1 ? atof(argv[1]) : 0;
  const int bytes = argc > 2 ? atoi(argv[2]) : 8, rounds = argc > 3 ? atoi(argv[3]) : 1;
  int ranks, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rows = argc > 4 ? atoi(argv[4]) : ranks;
  const int dims[2] = {rows, ranks / rows}, periods[2] = {0, 0};
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  MPI_Comm_rank(grid, &rank);
  int before, behind;
  MPI_Cart_shift(grid, 0, 1, &before, &behind);
  char* const out = calloc((size_t)bytes, 1);
  char* const in = calloc((size_t)bytes, 1);
  const double start = MPI_Wtime();
  while (MPI_Wtime() < start + seconds) {
  }
  for (int round = 0; round < rounds; ++round) {
    MPI_Sendrecv(out, bytes, MPI_CHAR, behind, 1, in, bytes, MPI_CHAR, before, 1, grid,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, bytes, MPI_CHAR, before, 2, in, bytes, MPI_CHAR, behind, 2, grid,
                 MPI_STATUS_IGNORE);
  }
  MPI_Barrier(grid);
  const double elapsed = MPI_Wtime() - start;
  const int cut = cut_of(grid);
  if (rank == 0) printf("elapsed %g\ncost %d\n", elapsed, 1 + cut);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
