// SPDX-License-Identifier: BSD-3-Clause
// Computes 10, 30 and 60 % of its time in three functions: split inlined|library|openmp|short, the
// last in short regions; in one region that three functions start: split shared; or most of it in
// assemble() on rank 1: split imbalance, or 70 % outside its OpenMP region: split serial. Or it
// computes between barriers for less than a tick of the kernel: split bursts; then each rank prints
// the CPU time of both.
#include "split.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kSteps = 50, kUnit = 800000 };
/* Timers of CPU time expire at ticks of the kernel, so work right after a thread has woken up is
 * sampled too seldom. Parallel regions, which wake threads, therefore last for several ticks. */
enum { kLonger = 10, kLongUnit = kLonger * kUnit };

double split_sink;
static long parallel_unit = kLongUnit;

__attribute__((always_inline)) static inline void inlined_ten(void) {
  split_sink += split_work(1 * kUnit);
}
__attribute__((always_inline)) static inline void inlined_thirty(void) {
  split_sink += split_work(3 * kUnit);
}
__attribute__((always_inline)) static inline void inlined_sixty(void) {
  split_sink += split_work(6 * kUnit);
}

__attribute__((noinline)) static void inlined(void) {
  inlined_ten();
  inlined_thirty();
  inlined_sixty();
}

__attribute__((noinline)) static void parallel_ten(void) {
#pragma omp parallel reduction(+ : split_sink)
  split_sink += split_work(1 * parallel_unit);
}
__attribute__((noinline)) static void parallel_thirty(void) {
#pragma omp parallel reduction(+ : split_sink)
  split_sink += split_work(3 * parallel_unit);
}
__attribute__((noinline)) static void parallel_sixty(void) {
#pragma omp parallel reduction(+ : split_sink)
  split_sink += split_work(6 * parallel_unit);
}

/* Known at run time, so that there is one copy of the function for all callers. */
static volatile int one = 1;
__attribute__((noinline)) static void shared(int times) {
#pragma omp parallel reduction(+ : split_sink)
  split_sink += split_work(times * kLongUnit);
}
__attribute__((noinline)) static void shared_ten(void) {
  shared(1 * one);
  split_sink += 1;
}
__attribute__((noinline)) static void shared_thirty(void) {
  shared(3 * one);
  split_sink += 1;
}
__attribute__((noinline)) static void shared_sixty(void) {
  shared(6 * one);
  split_sink += 1;
}

__attribute__((noinline)) static void prepare(void) {
  split_sink += split_work(7 * kLongUnit);
}
__attribute__((noinline)) static void partly(void) {
  prepare();  // alone
#pragma omp parallel reduction(+ : split_sink)
  split_sink += split_work(3 * kLongUnit);
}

__attribute__((noinline)) static void element(int times) {
  split_sink += split_work(times * kUnit);
}

__attribute__((noinline)) static void assemble(int rank) {
  for (int i = 0; i < 2 + 10 * rank; ++i) element(1);  // the cause
}

__attribute__((noinline)) static void solve(void) {
  split_sink += split_work(2 * kUnit);
}

static double cpu_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

__attribute__((noinline)) static void burst(int times) {
  split_sink += split_work(times * kUnit / 4);
}

static void bursts(int rank) {
  double computing = 0, waiting = 0;
  for (int step = 0; step < 6 * kSteps; ++step) {
    const double begin = cpu_s();
    burst(1 + (step + rank) % 2);
    const double between = cpu_s();
    MPI_Barrier(MPI_COMM_WORLD);
    computing += between - begin;
    waiting += cpu_s() - between;
  }
  printf("computing %.6f waiting %.6f\n", computing, waiting);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* which = argc > 1 ? argv[1] : "inlined";
  if (!strcmp(which, "bursts")) bursts(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (!strcmp(which, "bursts")) break;
    if (!strcmp(which, "inlined")) {
      inlined();
    } else if (!strcmp(which, "library")) {
      library_ten(kUnit);
      library_thirty(kUnit);
      library_sixty(kUnit);
    } else if (!strcmp(which, "openmp")) {
      if (step % kLonger != 0) continue;
      parallel_ten();
      parallel_thirty();
      parallel_sixty();
    } else if (!strcmp(which, "short")) {
      parallel_unit = kUnit / 4;
      parallel_ten();
      parallel_thirty();
      parallel_sixty();
    } else if (!strcmp(which, "shared")) {
      if (step % (3 * kLonger) != 0) continue;
      shared_ten();
      shared_thirty();
      shared_sixty();
    } else if (!strcmp(which, "serial")) {
      if (step % kLonger == 0) partly();
    } else {
      assemble(rank);
      solve();
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return split_sink < 0;
}
