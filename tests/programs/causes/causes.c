/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that wait for a known cause: slow, chain, late_receive, network, line, ring, late_post,
 * late_complete, late_test, lock, progress. Work is sleep, which takes the same time on a busy
 * machine. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plait/region.h"

enum { kSteps = 4, kWork_us = 100000, kLarge = 4 << 20, kHuge = 32 << 20 };

static int rank, size;

static void work(int us) {
  plait_region_begin("work");
  usleep((useconds_t)us);
  plait_region_end("work");
}

/* Rank 2 works half as long again as the others. */
static void slow(void) {
  for (int step = 0; step < kSteps; ++step) {
    double in = 1, out = 0;
    work(rank == 2 ? kWork_us * 3 / 2 : kWork_us);
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

/* All ranks work equally long, one after another. */
static void chain(void) {
  for (int step = 0; step < kSteps / 2; ++step) {
    int token = 0;
    if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    work(kWork_us);
    if (rank + 1 < size) MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* Rank 1 works before it receives; rank 0 works after it has sent. */
static void late_receive(char* buffer) {
  for (int step = 0; step < kSteps; ++step) {
    if (rank == 0) MPI_Send(buffer, kLarge, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    work(kWork_us);
    if (rank == 1) MPI_Recv(buffer, kLarge, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* Messages only. */
static void network(char* buffer) {
  const int partner = rank ^ 1;
  for (int step = 0; step < 3 * kSteps; ++step) {
    if (partner >= size) continue;
    MPI_Sendrecv(buffer, kHuge, MPI_CHAR, partner, 0, buffer + kHuge, kHuge, MPI_CHAR, partner, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* The last rank works before all exchange with their neighbours in a row: the one before it waits.
 */
static void line(void) {
  const int open = 0;
  int in[2] = {0, 0}, out[2] = {rank, rank};
  MPI_Comm row;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &row);
  for (int step = 0; step < kSteps; ++step) {
    if (rank == size - 1) work(kWork_us);
    MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, row);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_free(&row);
}

/* The last rank works before each sends to the next one in a ring: the first one waits. */
static void ring(void) {
  const int before = (rank + size - 1) % size, next = (rank + 1) % size, weight = 1;
  int in = 0;
  MPI_Comm circle;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &weight, 1, &next, &weight,
                                 MPI_INFO_NULL, 0, &circle);
  for (int step = 0; step < kSteps; ++step) {
    MPI_Request request;
    if (rank == size - 1) work(kWork_us);
    MPI_Ineighbor_allgather(&rank, 1, MPI_INT, &in, 1, MPI_INT, circle, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_free(&circle);
}

/* Rank 0 puts into windows of all others. The last rank works before it posts its window, or rank 0
 * before it completes, for which the others wait or test. */
static void epochs(int late_post, int tests) {
  double* memory;
  double one = 1;
  MPI_Group all, others, first;
  MPI_Win window;
  const int zero = 0;
  MPI_Win_allocate(sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_excl(all, 1, &zero, &others);
  MPI_Group_incl(all, 1, &zero, &first);
  for (int step = 0; step < kSteps; ++step) {
    if (rank == 0) {
      MPI_Win_start(others, 0, window);
      for (int to = 1; to < size; ++to) MPI_Put(&one, 1, MPI_DOUBLE, to, 0, 1, MPI_DOUBLE, window);
      if (!late_post) work(kWork_us);
      MPI_Win_complete(window);
    } else {
      if (late_post && rank == size - 1) work(kWork_us);
      MPI_Win_post(first, 0, window);
      int done = 0;
      while (tests && !done) MPI_Win_test(window, &done);
      if (!tests) MPI_Win_wait(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Group_free(&first);
  MPI_Group_free(&others);
  MPI_Group_free(&all);
  MPI_Win_free(&window);
}

/* The last rank works while it holds the lock of rank 0's window, which the others want. These do
 * as much work afterwards, without the lock. */
static void locks(void) {
  const int last = size - 1;
  double* memory;
  MPI_Win window;
  MPI_Win_allocate(sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int step = 0; step < kSteps; ++step) {
    double one = 1;
    if (rank == last) {
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
      MPI_Put(&one, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
      MPI_Win_flush(0, window);
      for (int to = 1; to < last; ++to) MPI_Send(NULL, 0, MPI_INT, to, 0, MPI_COMM_WORLD);
      work(kWork_us);
      MPI_Win_unlock(0, window);
    } else if (rank > 0) {
      MPI_Recv(NULL, 0, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Win_lock(step % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, window);
      MPI_Get(&one, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
      MPI_Win_unlock(0, window);
      work(kWork_us);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&window);
}

/* Rank 0 puts into the window of the last rank, which works without calling MPI. */
static void progress(void) {
  double* memory;
  MPI_Win window;
  MPI_Win_allocate(sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int step = 0; step < kSteps; ++step) {
    const double one = 1;
    if (rank == size - 1) {
      MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
      work(kWork_us);
    } else if (rank == 0) {
      MPI_Recv(NULL, 0, MPI_INT, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Win_lock(MPI_LOCK_SHARED, size - 1, 0, window);
      MPI_Put(&one, 1, MPI_DOUBLE, size - 1, 0, 1, MPI_DOUBLE, window);
      MPI_Win_unlock(size - 1, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* which = argc > 1 ? argv[1] : "";
  char* buffer = NULL;
  if (strcmp(which, "late_receive") == 0 || strcmp(which, "network") == 0) {
    /* Touching so much memory for the first time may take one rank long. */
    buffer = malloc(2 * (size_t)kHuge);
    if (buffer == NULL) MPI_Abort(MPI_COMM_WORLD, 2);
    memset(buffer, 1, 2 * (size_t)kHuge);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(which, "slow") == 0) slow();
  if (strcmp(which, "chain") == 0) chain();
  if (strcmp(which, "late_receive") == 0) late_receive(buffer);
  if (strcmp(which, "network") == 0) network(buffer);
  if (strcmp(which, "line") == 0) line();
  if (strcmp(which, "ring") == 0) ring();
  if (strcmp(which, "late_post") == 0) epochs(1, 0);
  if (strcmp(which, "late_complete") == 0) epochs(0, 0);
  if (strcmp(which, "late_test") == 0) epochs(0, 1);
  if (strcmp(which, "lock") == 0) locks();
  if (strcmp(which, "progress") == 0) progress();
  free(buffer);
  MPI_Finalize();
  return 0;
}
