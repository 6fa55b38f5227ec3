/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks with three threads each that call MPI at the same time (expected.json, "threads"). */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, MESSAGES = 200 };

static int rank;

static void* exchange(void* argument) {
  const int tag = (int)(size_t)argument;
  double out[3] = {1, 2, 3}, in[3];
  for (int i = 0; i < MESSAGES; ++i) {
    MPI_Request request;
    MPI_Irecv(in, 3, MPI_DOUBLE, 1 - rank, tag, MPI_COMM_WORLD, &request);
    MPI_Send(out, 3, MPI_DOUBLE, 1 - rank, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t threads[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 77);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, exchange, (void*)(size_t)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  MPI_Finalize();
  if (rank == 0) printf("threads: done\n");
  return 0;
}
