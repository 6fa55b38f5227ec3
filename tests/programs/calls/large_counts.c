/* SPDX-License-Identifier: BSD-3-Clause */
/* Large-count calls of two ranks, known by construction (expected.json, "large_counts"). */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  double out[40] = {0}, in[80];
  int rank;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 5; ++i) {
    if (rank == 0)
      MPI_Send_c(out, (MPI_Count)40, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    else
      MPI_Recv_c(in, (MPI_Count)80, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 3; ++i) {
    MPI_Bcast_c(out, (MPI_Count)20, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Allreduce_c(out, in, (MPI_Count)10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  MPI_Irecv_c(in, (MPI_Count)4, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &request);
  MPI_Send(out, 4, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  {
    MPI_Count counts[2] = {2, 3}, received[2];
    MPI_Aint places[2] = {0, 8};
    received[0] = received[1] = counts[rank];
    MPI_Alltoallv_c(out, counts, places, MPI_DOUBLE, in, received, places, MPI_DOUBLE,
                    MPI_COMM_WORLD);
  }
  MPI_Finalize();
  if (rank == 0) printf("large_counts: done\n");
  return 0;
}
