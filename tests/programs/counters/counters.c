/* SPDX-License-Identifier: BSD-3-Clause */
/* Known numbers of page faults: counters faults | threads | pthread | waits | phases. Rank r
 * touches 2000 * (1 + 2 r) new pages in the region "touch" and none in "quiet"; phases: 4000 before
 * twelve steps with 300 * (1 + 2 r) each. */
#define _GNU_SOURCE
#include <mpi.h>
#include <plait/region.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void touch(int pages) {
  const size_t page = 4096, bytes = page * (size_t)pages;
  char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) abort();
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (int i = 0; i < pages; ++i) memory[page * (size_t)i] = 1;
  munmap(memory, bytes);
}

static void* touch_1000(void* unused) {
  touch(1000);
  return unused;
}

static void run_phases(int rank) {
  int one = 1, sum = 0;
  touch(4000);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* all ranks have touched them */
  for (int step = 0; step < 12; ++step) {
    usleep(2000);
    touch(300 * (1 + 2 * rank));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  usleep(5000);
}

int main(int argc, char** argv) {
  int rank = 0, provided = 0;
  const char* what = argc > 1 ? argv[1] : "faults";
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!strcmp(what, "pthread")) { /* a thread that calls neither MPI nor OpenMP */
    pthread_t thread;
    if (pthread_create(&thread, NULL, touch_1000, NULL)) abort();
    pthread_join(thread, NULL);
  }
  if (!strcmp(what, "phases")) {
    run_phases(rank);
    return MPI_Finalize();
  }
  for (int step = 0; step < 4; ++step) {
    plait_region_begin("step");
    plait_region_begin("touch");
    if (!strcmp(what, "threads")) {
#pragma omp parallel num_threads(2)
      touch(500);
    } else {
      touch(500 * (1 + 2 * rank));
    }
    plait_region_end("touch");
    plait_region_begin("quiet");
    MPI_Barrier(MPI_COMM_WORLD);
    plait_region_end("quiet");
    plait_region_end("step");
  }
  if (!strcmp(what, "waits")) { /* the others wait for rank 0 in MPI, and use no CPU of their own */
    if (rank == 0) usleep(200000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
