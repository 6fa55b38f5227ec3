/* SPDX-License-Identifier: BSD-3-Clause */
/* Four ranks that exchange messages in pairs, and change partners when they were moved together.
 *
 * usage: pairs PHASES SECONDS [slow|pinned|ask]
 *   PHASES   1: 0 with 1, 2 with 3; 2: then 0 with 2, 1 with 3
 *   SECONDS  after which a phase ends if partners have not been put on the same cores
 *   slow     ranks that were moved wait between messages
 *   pinned   each rank binds a thread to its first core, as OMP_PROC_BIND=true does
 *   ask      all ranks ask for a decision between messages
 * Prints for each phase whether partners were put on the same cores, and apart from the others, and
 * the sum of all messages, which must not depend on where ranks run. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plait/remap.h"

enum { RANKS = 4, EXCHANGES = 50, LENGTH = 512 };

static unsigned long long cores(void) {
  cpu_set_t set;
  unsigned long long mask = 0;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set)) return 0;
  for (int cpu = 0; cpu < 64; ++cpu)
    if (CPU_ISSET(cpu, &set)) mask |= 1ULL << cpu;
  return mask;
}

static int partner_of(int rank, int phase) {
  return phase == 0 ? rank ^ 1 : rank ^ 2;
}

/* True on all ranks if each is on the cores of its partner, and the pairs are apart. */
static int together(int phase) {
  unsigned long long mine = cores(), all[RANKS];
  MPI_Allgather(&mine, 1, MPI_UNSIGNED_LONG_LONG, all, 1, MPI_UNSIGNED_LONG_LONG, MPI_COMM_WORLD);
  for (int i = 0; i < RANKS; ++i) {
    const int partner = partner_of(i, phase);
    for (int j = 0; j < RANKS; ++j)
      if ((j == i || j == partner) != (all[j] == all[i])) return 0;
  }
  return 1;
}

static void* sleep_for_long(void* none) {
  pause();
  return none;
}

static void bind_a_thread(void) {
  cpu_set_t set;
  int cpu = 0;
  pthread_t thread;
  while (!(cores() >> cpu & 1)) ++cpu;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (pthread_create(&thread, NULL, sleep_for_long, NULL)) return;
  pthread_setaffinity_np(thread, sizeof set, &set);
  pthread_detach(thread);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int phases = argc > 1 ? atoi(argv[1]) : 1;
  const double limit_s = argc > 2 ? atof(argv[2]) : 1;
  const int slow = argc > 3 && !strcmp(argv[3], "slow");
  const int ask = argc > 3 && !strcmp(argv[3], "ask");
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  const unsigned long long first = cores();
  if (argc > 3 && !strcmp(argv[3], "pinned")) bind_a_thread();
  static char out[LENGTH], in[LENGTH];
  for (int i = 0; i < LENGTH; ++i) out[i] = (char)(i + rank);
  int wrong = 0;
  for (int phase = 0; phase < phases; ++phase) {
    const int partner = partner_of(rank, phase);
    const double begin = MPI_Wtime();
    int done = 0, over = 0;
    while (!over) {
      for (int i = 0; i < EXCHANGES; ++i) {
        MPI_Sendrecv(out, LENGTH, MPI_CHAR, partner, i, in, LENGTH, MPI_CHAR, partner, i,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int k = 0; k < LENGTH; ++k) wrong += in[k] != (char)(k + partner);
        if (slow && cores() != first) usleep(2000);
      }
      if (ask) plait_remap();
      if (!slow) done = together(phase) || done;
      over = done || MPI_Wtime() - begin > limit_s;
      MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0) printf("phase %d: %s\n", phase, done ? "together" : "apart");
  }
  int all_wrong = 0;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", all_wrong);
  MPI_Finalize();
  return 0;
}
