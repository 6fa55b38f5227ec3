/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbourhoods, collectives with shares, matched probes, files and locked windows of two ranks
 * (expected.json, "neighbors"). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double out[40], in[80];
static int rank, partner;

static void neighborhoods(void) {
  MPI_Comm ring, pair;
  int two[1] = {2}, open[1] = {0}, ones[2] = {3, 0}, places[2] = {0, 8};
  int source, dest;
  /* A row of two, not periodic: each rank has one neighbour, and MPI_PROC_NULL on the other side.
   */
  MPI_Cart_create(MPI_COMM_WORLD, 1, two, open, 0, &ring);
  MPI_Cart_shift(ring, 0, 1, &source, &dest);
  MPI_Neighbor_alltoall(out, 10, MPI_DOUBLE, in, 10, MPI_DOUBLE, ring);
  MPI_Neighbor_allgather(out, 4, MPI_DOUBLE, in, 4, MPI_DOUBLE, ring);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &partner, MPI_UNWEIGHTED, 1, &partner,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &pair);
  MPI_Neighbor_alltoallv(out, ones, places, MPI_DOUBLE, in, ones, places, MPI_DOUBLE, pair);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&pair);
}

static void shares(void) {
  int counts[2] = {4, 8}, places[2] = {0, 16}, mine[2], bytes[2] = {0, 128};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Gatherv(out, counts[rank], MPI_DOUBLE, in, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Scatterv(out, counts, places, MPI_DOUBLE, in, counts[rank], MPI_DOUBLE, 1, MPI_COMM_WORLD);
  MPI_Allgatherv(out, counts[rank], MPI_DOUBLE, in, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
  counts[0] = 2, counts[1] = 4;
  mine[0] = mine[1] = counts[rank];
  MPI_Alltoallw(out, counts, bytes, types, in, mine, bytes, types, MPI_COMM_WORLD);
  counts[0] = 4, counts[1] = 6;
  MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(out, in, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void file(const char* name) {
  MPI_File handle;
  MPI_Status status;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &handle);
  MPI_File_write_at_all(handle, rank * 320, out, 40, MPI_DOUBLE, &status);
  MPI_File_read_at(handle, rank * 320, in, 40, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&handle);
}

static void matched(void) {
  if (rank == 0) {
    MPI_Send(out, 10, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Message message;
    MPI_Status status;
    MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(in, 20, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  }
}

static void window(void) {
  double* memory;
  double one = 1, before;
  MPI_Win handle;
  MPI_Win_allocate(160, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &handle);
  MPI_Win_lock(MPI_LOCK_SHARED, partner, 0, handle);
  MPI_Accumulate(out, 3, MPI_DOUBLE, partner, 0, 3, MPI_DOUBLE, MPI_SUM, handle);
  MPI_Fetch_and_op(&one, &before, MPI_DOUBLE, partner, 10, MPI_SUM, handle);
  MPI_Win_unlock(partner, handle);
  MPI_Win_free(&handle);
}

int main(int argc, char** argv) {
  char name[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  partner = 1 - rank;
  /* Both ranks are children of one launcher, or of its one helper on this host. */
  snprintf(name, sizeof name, "/tmp/plait-neighbors-%d", (int)getppid());
  neighborhoods();
  shares();
  file(name);
  matched();
  window();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0) unlink(name), printf("neighbors: done\n");
  return 0;
}
