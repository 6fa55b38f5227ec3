/* SPDX-License-Identifier: BSD-3-Clause */
/* The measured program: times blocks of calls and prints `name minimum` in ns per call. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <plait/region.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { kBlocks = 41, kCalls = 5000 };

static int file;
static char data[64];
static volatile double sink;

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void allocate(void) {
  void* volatile memory = malloc(100);
  free(memory);
}
static void write_64(void) {
  if (pwrite(file, data, sizeof data, 0) != (ssize_t)sizeof data) abort();
}
static void open_close(void) {
  int own = open("/dev/null", O_RDONLY);
  if (own < 0) abort();
  close(own);
}
static void send(void) {
  MPI_Send(data, 8, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}
static void region(void) {
  plait_region_begin("measured");
  for (int i = 0; i < 20000; ++i) sink = sink + i; /* longer than the least time of a region */
  plait_region_end("measured");
}

static void measure(const char* name, int calls, void (*body)(void)) {
  double least = 1e18;
  for (int block = 0; block < kBlocks; ++block) {
    const double begin = now_ns();
    for (int i = 0; i < calls; ++i) body();
    const double taken = (now_ns() - begin) / calls;
    if (taken < least) least = taken;
  }
  printf("%s %.2f\n", name, least);
}

int main(int argc, char** argv) {
  char name[] = "/tmp/plait-bench-XXXXXX";
  MPI_Init(&argc, &argv);
  file = mkstemp(name);
  if (file < 0) abort();
  unlink(name);
  measure("malloc_free", kCalls * 10, allocate);
  measure("pwrite", kCalls, write_64);
  measure("open_close", kCalls, open_close);
  measure("send", kCalls * 10, send);
  measure("region", kCalls / 50, region);
  MPI_Finalize();
  return 0;
}
