/* SPDX-License-Identifier: BSD-3-Clause */
/* Persistent collectives and partitioned messages of two ranks (expected.json, "prepared"). */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  double out[40] = {0}, in[80];
  int rank, partner;
  MPI_Request sum, part;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  partner = 1 - rank;
  MPI_Allreduce_init(out, in, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &sum);
  for (int i = 0; i < 4; ++i) {
    MPI_Start(&sum);
    MPI_Wait(&sum, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&sum);
  if (rank == 0)
    MPI_Psend_init(out, 4, 5, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &part);
  else
    MPI_Precv_init(in, 4, 5, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &part);
  for (int i = 0; i < 3; ++i) {
    MPI_Start(&part);
    if (rank == 0) MPI_Pready_range(0, 3, part);
    MPI_Wait(&part, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&part);
  MPI_Finalize();
  if (rank == 0) printf("prepared: done\n");
  return 0;
}
