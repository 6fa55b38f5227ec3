/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs with one costly pattern each, and a clean one; 4 ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 120, COUNT = 100, LARGE = 1 << 19 };

static int rank, size;
static double values[4][COUNT], received[4][COUNT];

static void compute(double seconds) {
  const double begin = MPI_Wtime();
  while (MPI_Wtime() - begin < seconds) {
  }
}

static void sum(void) {
  double one = rank, all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Receives first, then sends, with both neighbours of a ring. */
static void exchange(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  MPI_Request requests[4];
  MPI_Irecv(received[0], COUNT, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(received[1], COUNT, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(values[0], COUNT, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(values[1], COUNT, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void clean(void) {
  for (int i = 0; i < STEPS; ++i) {
    exchange();
    sum();
  }
}

static void idle_barrier(void) {
  for (int i = 0; i < STEPS; ++i) {
    exchange();
    MPI_Barrier(MPI_COMM_WORLD);
    sum();
  }
}

/* Sizes differ, so it is not a gather. */
static void any_source(void) {
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 0) {
      for (int k = 1; k < size; ++k) {
        MPI_Recv(received[0], COUNT, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
      }
    } else {
      MPI_Send(values[0], 10 + rank, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
    sum();
  }
}

static void handmade(void) {
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 0) {
      for (int to = 1; to < size; ++to) {
        MPI_Send(values[0], COUNT, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
      }
    } else {
      MPI_Recv(received[0], COUNT, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    sum();
  }
}

static void waitany(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < STEPS; ++i) {
    MPI_Request requests[4];
    for (int k = 0; k < 2; ++k) {
      MPI_Irecv(received[k], COUNT, MPI_DOUBLE, left, k, MPI_COMM_WORLD, &requests[k]);
      MPI_Isend(values[k], COUNT, MPI_DOUBLE, right, k, MPI_COMM_WORLD, &requests[2 + k]);
    }
    for (int k = 0; k < 4; ++k) {
      int which;
      MPI_Waitany(4, requests, &which, MPI_STATUS_IGNORE);
    }
    sum();
  }
}

/* All ranks have sent before any of them receives. */
static void late_receive(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < STEPS; ++i) {
    MPI_Send(values[0], COUNT, MPI_DOUBLE, right, 0, MPI_COMM_WORLD);
    sum();
    MPI_Recv(received[0], COUNT, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void small_messages(void) {
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int i = 0; i < STEPS; ++i) {
    MPI_Request requests[8];
    for (int k = 0; k < 8; ++k) {
      MPI_Irecv(&received[0][k], 1, MPI_DOUBLE, left, k, MPI_COMM_WORLD, &requests[k]);
    }
    for (int k = 0; k < 8; ++k) {
      MPI_Send(&values[0][k], 1, MPI_DOUBLE, right, k, MPI_COMM_WORLD);
    }
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    sum();
  }
}

static void packing(void) {
  char buffer[sizeof(values)];
  for (int i = 0; i < STEPS; ++i) {
    int at = 0;
    for (int k = 0; k < 2; ++k) {
      MPI_Pack(values[k], COUNT, MPI_DOUBLE, buffer, sizeof(buffer), &at, MPI_COMM_WORLD);
    }
    exchange();
    at = 0;
    for (int k = 0; k < 2; ++k) {
      MPI_Unpack(buffer, sizeof(buffer), &at, received[k], COUNT, MPI_DOUBLE, MPI_COMM_WORLD);
    }
    sum();
  }
}

static void chain(void) {
  for (int i = 0; i < STEPS / 4; ++i) {
    if (rank > 0) {
      MPI_Recv(received[0], COUNT, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    compute(0.005);
    if (rank + 1 < size) {
      MPI_Send(values[0], COUNT, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    }
    sum();
  }
}

/* Long messages between pairs of ranks, without overlapping computation. */
static void no_overlap(void) {
  const int partner = rank ^ 1;
  double* out = calloc(2 * (size_t)LARGE, sizeof(double));
  double* in = out + LARGE;
  for (int i = 0; i < STEPS / 2; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(in, LARGE, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, LARGE, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    compute(0.002);
  }
  free(out);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } all[] = {{"clean", clean},
             {"idle_barrier", idle_barrier},
             {"any_source", any_source},
             {"handmade_collective", handmade},
             {"waitany_loop", waitany},
             {"late_receive", late_receive},
             {"small_messages", small_messages},
             {"packing", packing},
             {"chain", chain},
             {"no_overlap", no_overlap}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int known = 0;
  for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
    if (argc > 1 && strcmp(argv[1], all[i].name) == 0) {
      known = 1;
      all[i].run();
    }
  }
  if (!known && rank == 0) fprintf(stderr, "usage: patterns NAME\n");
  MPI_Finalize();
  return known ? 0 : 1;
}
