// SPDX-License-Identifier: BSD-3-Clause
// Fixed work below a stack of 30 frames, which uses memory; prints its seconds, elapsed and of CPU
// time: profilers-compute [UNITS].
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kNumbers = 1 << 20 };

static unsigned long memory[kNumbers];

__attribute__((noinline)) static unsigned long work(long units) {
  unsigned long sum = 0;
  for (long unit = 0; unit < units; ++unit) {
    for (long i = 0; i < kNumbers; ++i) memory[i] = memory[i] * 3 + (unsigned long)unit;
    sum += memory[unit % kNumbers];
  }
  return sum;
}

__attribute__((noinline)) static unsigned long below(int frames, long units) {
  if (frames == 0) return work(units);
  const volatile unsigned long result = below(frames - 1, units);
  return result + 1;
}

static double cpu_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long units = argc > 1 ? atol(argv[1]) : 2000;
  const double begin = MPI_Wtime(), cpu_begin = cpu_s();
  const unsigned long result = below(30, units);
  const double end = MPI_Wtime(), cpu_end = cpu_s();
  printf("seconds %.6f cpu %.6f result %lx\n", end - begin, cpu_end - cpu_begin, result);
  MPI_Finalize();
  return 0;
}
