/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_THREAD_MULTIPLE on two ranks: each thread starts requests that another one completes. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 4, kRounds = 100 };

static int rank;
static pthread_barrier_t barrier;
static MPI_Request requests[kThreads][2];
static int in[kThreads], out[kThreads];

static void* work(void* argument) {
  const int self = (int)(long)argument, other = (self + 1) % kThreads;
  for (int i = 0; i < kRounds; ++i) {
    out[self] = i;
    MPI_Irecv(&in[self], 1, MPI_INT, i % 2 ? 1 - rank : MPI_ANY_SOURCE, self, MPI_COMM_WORLD,
              &requests[self][0]);
    MPI_Isend(&out[self], 1, MPI_INT, 1 - rank, self, MPI_COMM_WORLD, &requests[self][1]);
    pthread_barrier_wait(&barrier);
    MPI_Waitall(2, requests[other], MPI_STATUSES_IGNORE);
    pthread_barrier_wait(&barrier);
    if (in[self] != i) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return argument;
}

int main(int argc, char** argv) {
  int provided;
  pthread_t threads[kThreads];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (provided < MPI_THREAD_MULTIPLE) return puts("no threads"), MPI_Finalize();
  pthread_barrier_init(&barrier, NULL, kThreads);
  for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return MPI_Finalize();
}
