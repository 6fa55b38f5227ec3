/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of MPI in a function that two others call, one of them through a third. */
#include <mpi.h>

__attribute__((noinline)) static void comm_wait(MPI_Request* requests) {
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  __asm__ volatile("");
}

__attribute__((noinline)) static void exchange(int tag) {
  int rank, out = tag, in;
  MPI_Request requests[2];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Irecv(&in, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&out, 1, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &requests[1]);
  comm_wait(requests);
  __asm__ volatile("");
}

__attribute__((noinline)) static void exchange_rows(void) {
  exchange(1);
  __asm__ volatile("");
}

__attribute__((noinline)) static void matvec(void) {
  exchange(2);
  __asm__ volatile("");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 3; ++i) exchange_rows();
  for (int i = 0; i < 5; ++i) matvec();
  MPI_Finalize();
  return 0;
}
