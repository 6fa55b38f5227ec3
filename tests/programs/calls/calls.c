/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of two ranks whose MPI calls are known by construction (expected.json, "calls"). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 100 };

static double out[2 * N], in[2 * N];
static int rank, partner;

static void messages(void) {
  for (int i = 0; i < 10; ++i) {
    MPI_Status status;
    if (rank == 0)
      MPI_Send(out, N, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    else
      MPI_Recv(in, 2 * N, MPI_DOUBLE, i % 3 ? 0 : MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
               i % 2 ? &status : MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 5; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(in, N, MPI_DOUBLE, partner, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, N, MPI_DOUBLE, partner, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 3; ++i) {
    MPI_Request receive, send;
    MPI_Status status;
    MPI_Irecv(in, N, MPI_DOUBLE, partner, 3, MPI_COMM_WORLD, &receive);
    MPI_Isend(out, N, MPI_DOUBLE, partner, 3, MPI_COMM_WORLD, &send);
    MPI_Wait(&receive, &status);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 4; ++i)
    MPI_Sendrecv(out, N, MPI_DOUBLE, partner, 4, in, N, MPI_DOUBLE, partner, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  MPI_Send(out, N, MPI_DOUBLE, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
}

static void persistent(void) {
  MPI_Request requests[2];
  MPI_Recv_init(in, N, MPI_DOUBLE, partner, 6, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(out, N, MPI_DOUBLE, partner, 6, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 6; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&requests[0]);
    MPI_Start(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void no_requests(void) {
  int index, flag, done;
  MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
  MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE);
  MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE);
  MPI_Testany(0, NULL, &index, &flag, MPI_STATUS_IGNORE);
  MPI_Waitsome(0, NULL, &done, &index, MPI_STATUSES_IGNORE);
  MPI_Testsome(0, NULL, &done, &index, MPI_STATUSES_IGNORE);
}

static void probes(void) {
  for (int i = 0; i < 3; ++i) {
    if (rank == 0) {
      MPI_Ssend(out, 10, MPI_DOUBLE, 1, 7, MPI_COMM_WORLD);
    } else {
      MPI_Status status;
      int count;
      MPI_Probe(0, 7, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_DOUBLE, &count);
      MPI_Recv(in, count, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

static void collectives(void) {
  int counts[2] = {3, 3}, places[2] = {0, 10};
  MPI_Request request;
  for (int i = 0; i < 2; ++i) MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) MPI_Bcast(out, 50, MPI_DOUBLE, i % 2, MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i) MPI_Reduce(out, in, 20, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 4; ++i) MPI_Allreduce(out, in, 30, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Gather(out, 10, MPI_DOUBLE, in, 10, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  MPI_Scatter(out, 15, MPI_DOUBLE, in, 15, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i)
    MPI_Allgather(out, 12, MPI_DOUBLE, in, 12, MPI_DOUBLE, MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i) MPI_Alltoall(out, 6, MPI_DOUBLE, in, 6, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Alltoallv(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Scan(out, in, 7, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iallreduce(out, in, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void communicators(void) {
  MPI_Comm copy, alone, bridge, merged;
  int remote_size;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  for (int i = 0; i < 3; ++i) MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, copy);
  MPI_Comm_split(copy, rank, 0, &alone);
  for (int i = 0; i < 2; ++i) MPI_Bcast(out, 2, MPI_DOUBLE, 0, alone);
  MPI_Intercomm_create(alone, 0, MPI_COMM_WORLD, partner, 8, &bridge);
  MPI_Comm_remote_size(bridge, &remote_size);
  if (rank == 0)
    MPI_Send(out, 4, MPI_DOUBLE, 0, 9, bridge);
  else
    MPI_Recv(in, 4, MPI_DOUBLE, 0, 9, bridge, MPI_STATUS_IGNORE);
  MPI_Intercomm_merge(bridge, rank, &merged);
  MPI_Barrier(merged);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&bridge);
  MPI_Comm_free(&alone);
  MPI_Comm_free(&copy);
}

static void one_sided(void) {
  MPI_Win window;
  MPI_Win_create(in, 2 * N * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                 &window);
  MPI_Win_fence(0, window);
  MPI_Put(out, 4, MPI_DOUBLE, partner, 0, 4, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Get(out, 5, MPI_DOUBLE, partner, 0, 5, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static void datatypes(void) {
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  if (rank == 0)
    MPI_Send(out, 3, pair, 1, 10, MPI_COMM_WORLD);
  else
    MPI_Recv(in, 3, pair, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&pair);
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) MPI_Abort(MPI_COMM_WORLD, 3);
  partner = 1 - rank;
  messages();
  persistent();
  no_requests();
  probes();
  collectives();
  communicators();
  one_sided();
  datatypes();
  MPI_Finalize();
  if (rank == 0) printf("calls: done\n");
  return 0;
}
