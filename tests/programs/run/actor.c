/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI and OpenMP program that ends in the way its first argument names, for tests of plait run.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All byte values on both streams, in an order that does not depend on buffering. */
static void write_bytes(int lines) {
  char bytes[256];
  for (int i = 0; i < 256; ++i) bytes[i] = (char)i;
  for (int line = 0; line < lines; ++line) {
    if (write(1, bytes, sizeof bytes) != (ssize_t)sizeof bytes) exit(9);
    if (write(2, bytes + 128, 128) != 128) exit(9);
  }
}

static void copy_input(void) {
  char bytes[4096];
  ssize_t n;
  while ((n = read(0, bytes, sizeof bytes)) > 0) {
    if (write(1, bytes, (size_t)n) != n) exit(9);
  }
}

static void exchange(MPI_Comm comm, int times) {
  int rank, size, out = 1, in = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < times; ++i) {
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, i % 5, &in, 1, MPI_INT,
                 (rank + size - 1) % size, i % 5, comm, MPI_STATUS_IGNORE);
  }
}

/* Two ranks are late in turn, so that the other one waits whatever the CPUs do. */
static void exchange_late(int times) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < times; ++i) {
    if (i % 2 == rank) usleep(2000);
    exchange(MPI_COMM_WORLD, 1);
  }
}

/* The same work on every rank, in steps that all begin together. */
static void compute(int steps) {
  volatile double sum = 0;
  for (int step = 0; step < steps; ++step) {
    for (int i = 1; i < 4000000; ++i) sum += 1.0 / i;
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* Leaves no room for another file on the disk of the folder. */
static void fill_disk(const char* folder) {
  char path[4096];
  for (int i = 0;; ++i) {
    snprintf(path, sizeof path, "%s/%d", folder, i);
    FILE* file = fopen(path, "w");
    if (!file) return;
    fclose(file);
  }
}

int main(int argc, char** argv) {
  int rank = 0;
  int size = 1;
  const char* action = argc > 1 ? argv[1] : "end";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads += 1;
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(action, "hello") == 0) printf("rank %d of %d, %d threads\n", rank, size, threads);
  if (strcmp(action, "bytes") == 0 && rank == 0) write_bytes(number);
  if (strcmp(action, "cat") == 0 && rank == 0) copy_input();
  if (strcmp(action, "compute") == 0) compute(number);
  if (strcmp(action, "exchange") == 0) exchange(MPI_COMM_WORLD, number);
  if (strcmp(action, "exchange_late") == 0) exchange_late(number);
  if (strcmp(action, "exchange_alone") == 0) exchange(MPI_COMM_SELF, number);
  if (strcmp(action, "exchange_and_die") == 0) {
    exchange(MPI_COMM_WORLD, number);
    if (rank == 1) raise(SIGKILL);
  }
  if (strcmp(action, "fill") == 0) {
    exchange(MPI_COMM_WORLD, 20);
    if (rank == 0) fill_disk(argv[2]);
  }
  if (strcmp(action, "kill") == 0 && rank == number) raise(SIGKILL);
  if (strcmp(action, "abort") == 0 && rank == 0) MPI_Abort(MPI_COMM_WORLD, number);
  if (strcmp(action, "deaf") == 0) signal(SIGTERM, SIG_IGN);
  if (strcmp(action, "hang") == 0 || strcmp(action, "deaf") == 0) {
    for (;;) pause();
  }
  MPI_Finalize();
  return strcmp(action, "exit") == 0 ? number : 0;
}
