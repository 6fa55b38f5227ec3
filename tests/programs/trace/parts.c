/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages inside of a region, outside of it, and from one to the other. Each message of a tag has
 * a size of its own, which the receiver checks and a trace shows.
 *
 *   parts [signal | early | late | pause | threads]: rank 0 and 1 switch the trace on at step 3 and
 *   off after step 4 by SIGUSR2; or the program handles that signal itself, from before or after
 *   MPI_Init on; or it pauses recording at step 3 until after step 4; or other threads exchange
 *   messages, too. */
#include <mpi.h>
#include <plait/region.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kSteps = 6, kBorder = 1, kLate, kBoth, kAgain, kFound, kOpen, kThread, kMost = 1000 };

static int rank, other;
static char buffer[kMost], spare[kMost];
static volatile sig_atomic_t handled;

static void handle(int number) {
  handled = number;
}

static void require(const MPI_Status* status, int bytes) {
  int count;
  MPI_Get_count(status, MPI_CHAR, &count);
  if (count == bytes) return;
  printf("parts: %d bytes instead of %d\n", count, bytes);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void send(int bytes, int tag) {
  if (rank == 0) MPI_Send(buffer, bytes, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
}

static void receive(int bytes, int source, int tag) {
  MPI_Status status;
  if (rank != 1) return;
  MPI_Recv(buffer, kMost, MPI_CHAR, source, tag, MPI_COMM_WORLD, &status);
  require(&status, bytes);
}

static void exchange(int bytes, MPI_Request* again) {
  MPI_Status status;
  MPI_Sendrecv(buffer, bytes, MPI_CHAR, other, kBoth, spare, kMost, MPI_CHAR, other, kBoth,
               MPI_COMM_WORLD, &status);
  require(&status, bytes);
  MPI_Startall(2, again);
  MPI_Waitall(2, again, MPI_STATUSES_IGNORE);
}

static void find(int bytes) {
  MPI_Message message;
  MPI_Status status;
  send(bytes, kFound);
  if (rank != 1) return;
  MPI_Mprobe(MPI_ANY_SOURCE, kFound, MPI_COMM_WORLD, &message, &status);
  MPI_Mrecv(buffer, kMost, MPI_CHAR, &message, &status);
  require(&status, bytes);
}

static void* pass_on(void* bytes) {
  send(*(const int*)bytes, kThread);
  receive(*(const int*)bytes, 0, kThread);
  return NULL;
}

/* A message whose calls another thread makes. */
static void by_thread(int bytes) {
  pthread_t thread;
  pthread_create(&thread, NULL, pass_on, &bytes);
  pthread_join(thread, NULL);
}

int main(int argc, char** argv) {
  const char* which = argc > 1 ? argv[1] : "";
  MPI_Request late, open, again[2];
  MPI_Status status;
  int sum, provided;
  const int threads = !strcmp(which, "threads");
  if (!strcmp(which, "early")) signal(SIGUSR2, handle);
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  if (threads && provided < MPI_THREAD_MULTIPLE) return puts("no threads"), MPI_Finalize();
  if (!strcmp(which, "late")) signal(SIGUSR2, handle);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  MPI_Send_init(buffer, 8, MPI_CHAR, other, kAgain, MPI_COMM_WORLD, &again[0]);
  MPI_Recv_init(spare, 8, MPI_CHAR, other, kAgain, MPI_COMM_WORLD, &again[1]);
  for (int step = 1; step <= kSteps; ++step) {
    if (!strcmp(which, "signal") && step == 3) raise(SIGUSR2);
    if (!strcmp(which, "pause") && step == 3) MPI_Pcontrol(0);
    exchange(10 + step, again);
    find(100 + step);
    if (rank == 1) MPI_Irecv(buffer, kMost, MPI_CHAR, MPI_ANY_SOURCE, kLate, MPI_COMM_WORLD, &late);
    send(200 + step, kBorder);
    if (threads) by_thread(900 + step);
    MPI_Barrier(MPI_COMM_WORLD);

    plait_region_begin("step");
    if (threads) by_thread(30 + step);
    receive(200 + step, 0, kBorder); /* sent before the region */
    send(300 + step, kLate);
    if (rank == 1) {
      MPI_Wait(&late, &status); /* posted before the region */
      require(&status, 300 + step);
    }
    send(400 + step, kLate);
    receive(400 + step, MPI_ANY_SOURCE, kLate);
    exchange(20 + step, again);
    find(500 + step);
    if (rank == 1) MPI_Irecv(spare, kMost, MPI_CHAR, MPI_ANY_SOURCE, kOpen, MPI_COMM_WORLD, &open);
    send(700 + step, kOpen);
    MPI_Allreduce(&step, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    plait_region_end("step");

    if (rank == 1) { /* posted in the region */
      MPI_Wait(&open, &status);
      require(&status, 700 + step);
    }
    send(800 + step, kOpen);
    receive(800 + step, 0, kOpen);
    send(600 + step, kLate);
    receive(600 + step, 0, kLate);
    MPI_Bcast(buffer, step, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (!strcmp(which, "signal") && step == 4) raise(SIGUSR2);
    if (!strcmp(which, "pause") && step == 4) MPI_Pcontrol(1);
  }
  if (!strcmp(which, "early") || !strcmp(which, "late")) raise(SIGUSR2);
  MPI_Request_free(&again[0]);
  MPI_Request_free(&again[1]);
  MPI_Finalize();
  if (rank == 0) printf("handled %d\n", handled == SIGUSR2);
  return 0;
}
