/* SPDX-License-Identifier: BSD-3-Clause */
/* Four ranks that exchange messages in pairs, and change partners when they were moved together.
 *
 * usage: pairs PHASES SECONDS [slow|pinned|ask|stay]
 *   PHASES   1: 0 with 1, 2 with 3; 2: then 0 with 2, 1 with 3
 *   SECONDS  after which a phase ends if its ranks were not moved as it waits for
 *   slow     ranks that were moved are slower; a phase ends when they were moved back
 *   pinned   each rank binds a thread to its first core, as OMP_PROC_BIND=true does
 *   ask      all ranks ask for a decision between messages
 *   stay     a phase goes on for a second after its ranks were moved
 * What a message costs does not depend on this machine and on how its MPI library waits: messages
 * between cores take much longer than others, and ranks that wait sleep in MPI. Prints for each
 * phase whether its ranks were moved as it waits for, and the number of wrong bytes in messages. */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plait/remap.h"

enum { RANKS = 4, EXCHANGES = 10, LENGTH = 512, SHORT_US = 100, LONG_US = 3000, SLOW_US = 12000 };

static unsigned long long cores(void) {
  cpu_set_t set;
  unsigned long long mask = 0;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set)) return 0;
  for (int cpu = 0; cpu < 64; ++cpu)
    if (CPU_ISSET(cpu, &set)) mask |= 1ULL << cpu;
  return mask;
}

/* An operation that takes time and no CPU. */
static void nap(void* microseconds, void* result, int* length, MPI_Datatype* type) {
  (void)result, (void)length, (void)type;
  usleep(*(const useconds_t*)microseconds);
}

static MPI_Op napping;

static void sleep_in_mpi(useconds_t microseconds) {
  useconds_t none = 0;
  MPI_Reduce_local(&microseconds, &none, 1, MPI_UNSIGNED, napping);
}

/* As MPI_Waitall(), of at most 2 requests, but other ranks can use the core. */
static void wait_for(int count, MPI_Request* requests) {
  int done = 0;
  /* GCC warns of MPICH's MPI_STATUSES_IGNORE. */
  MPI_Status statuses[2];
  while (MPI_Testall(count, requests, &done, statuses), !done) sleep_in_mpi(SHORT_US);
}

static int partner_of(int rank, int phase) {
  return phase == 0 ? rank ^ 1 : rank ^ 2;
}

static int equal[RANKS][RANKS]; /* which ranks have the same cores */

static void compare_cores(void) {
  unsigned long long mine = cores(), all[RANKS];
  MPI_Request request;
  MPI_Iallgather(&mine, 1, MPI_UNSIGNED_LONG_LONG, all, 1, MPI_UNSIGNED_LONG_LONG, MPI_COMM_WORLD,
                 &request);
  wait_for(1, &request);
  for (int i = 0; i < RANKS; ++i)
    for (int j = 0; j < RANKS; ++j) equal[i][j] = all[i] == all[j];
}

/* True on all ranks if each is on the cores of its partner, and the pairs are apart. */
static int together(int phase) {
  for (int i = 0; i < RANKS; ++i)
    for (int j = 0; j < RANKS; ++j)
      if ((j == i || j == partner_of(i, phase)) != equal[i][j]) return 0;
  return 1;
}

static int exchange(int rank, int partner) {
  static char out[LENGTH], in[LENGTH];
  MPI_Request requests[2];
  int wrong = 0;
  for (int i = 0; i < LENGTH; ++i) out[i] = (char)(i + rank);
  MPI_Irecv(in, LENGTH, MPI_CHAR, partner, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, LENGTH, MPI_CHAR, partner, 0, MPI_COMM_WORLD, &requests[1]);
  wait_for(2, requests);
  for (int i = 0; i < LENGTH; ++i) wrong += in[i] != (char)(i + partner);
  return wrong;
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
  const double stay_s = argc > 3 && !strcmp(argv[3], "stay") ? 1 : 0;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Op_create(nap, 1, &napping);
  const unsigned long long first = cores();
  if (argc > 3 && !strcmp(argv[3], "pinned")) bind_a_thread();
  int wrong = 0;
  for (int phase = 0; phase < phases; ++phase) {
    const int partner = partner_of(rank, phase);
    const double begin = MPI_Wtime();
    double done_at = 0;
    int done = 0, moved = 0, over = 0;
    while (!over) {
      compare_cores();
      for (int i = 0; i < EXCHANGES; ++i) {
        wrong += exchange(rank, partner);
        const int near = together(phase);
        sleep_in_mpi(!near ? LONG_US : slow ? SLOW_US : SHORT_US);
      }
      if (ask) plait_remap();
      moved = moved || cores() != first;
      if (!done && (done = slow ? moved && cores() == first : together(phase)))
        done_at = MPI_Wtime();
      over = done ? MPI_Wtime() - done_at >= stay_s : MPI_Wtime() - begin > limit_s;
      MPI_Request request;
      MPI_Ibcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
      wait_for(1, &request);
    }
    if (rank == 0) printf("phase %d: %s\n", phase, done ? "moved" : "not moved");
  }
  MPI_Op_free(&napping);
  int all_wrong = 0;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d wrong\n", all_wrong);
  MPI_Finalize();
  return 0;
}
