/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of MPI_Init and MPI_Finalize in a process. */
#ifndef PLAIT_BENCH_ENDS_H
#define PLAIT_BENCH_ENDS_H

#include <time.h>

/* Of all threads of the process, s. */
struct ends_time {
  double wall, cpu;
};

static inline struct ends_time ends_now(void) {
  struct timespec wall, cpu;
  clock_gettime(CLOCK_MONOTONIC, &wall);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  struct ends_time now = {(double)wall.tv_sec + 1e-9 * (double)wall.tv_nsec,
                          (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec};
  return now;
}

static inline struct ends_time ends_since(struct ends_time begin) {
  struct ends_time now = ends_now();
  now.wall -= begin.wall;
  now.cpu -= begin.cpu;
  return now;
}

/* What the MPI library's own MPI_Init and MPI_Finalize took. */
extern struct ends_time ends_library[2];

#endif
