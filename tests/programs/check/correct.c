/* SPDX-License-Identifier: BSD-3-Clause */
/* Correct uses of MPI that a checker might report by mistake, chosen by the argument. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size;
static MPI_Comm world;

/* A ring whose ranks receive from any source. */
static void ring_any_source(void) {
  for (int round = 0; round < 50; ++round) {
    int value = rank, received = -1;
    MPI_Request request;
    MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &request);
    MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, round, world);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/* The others wait much longer than the stall time. */
static void one_computes(void) {
  if (rank == 0) sleep(2);
  MPI_Barrier(world);
  if (rank == 0) sleep(1);
  int value = 0;
  if (rank == 0)
    for (int i = 1; i < size; ++i) MPI_Send(&value, 1, MPI_INT, i, 1, world);
  else
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, world, MPI_STATUS_IGNORE);
}

/* Equal signatures of different layouts, counts and names. */
static void equal_signatures(void) {
  struct pair {
    int a;
    double b;
  } pairs[2] = {{1, 2}, {3, 4}}, received[2];
  int lengths[4] = {1, 1, 1, 1}, values[12] = {0};
  MPI_Aint two[2] = {0, 8}, four[4] = {0, 8, 16, 24};
  MPI_Datatype types[4] = {MPI_INT, MPI_DOUBLE, MPI_INT, MPI_DOUBLE}, one, both, column;
  const int other = rank ^ 1;
  MPI_Type_create_struct(2, lengths, two, types, &one);
  MPI_Type_create_struct(4, lengths, four, types, &both);
  MPI_Type_vector(3, 1, 4, MPI_INT, &column);
  MPI_Type_commit(&one);
  MPI_Type_commit(&both);
  MPI_Type_commit(&column);
  if (other < size) {
    MPI_Sendrecv(pairs, 2, one, other, 1, received, 1, both, other, 1, world, MPI_STATUS_IGNORE);
    MPI_Sendrecv(values, 1, column, other, 2, values + 6, 6, MPI_INT, other, 2, world,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(pairs, sizeof pairs, MPI_BYTE, other, 3, values, 12, MPI_INT, other, 3, world,
                 MPI_STATUS_IGNORE);
  }
  MPI_Bcast(values, rank == 0 ? 1 : 3, rank == 0 ? column : MPI_INT, 0, world);
  MPI_Type_free(&one);
  MPI_Type_free(&both);
  MPI_Type_free(&column);
}

static int delete_comm(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)comm, (void)keyval, (void)extra;
  MPI_Comm* kept = value;
  MPI_Comm_free(kept);
  free(kept);
  return MPI_SUCCESS;
}

/* A library's object in an attribute is freed within MPI_Finalize. */
static void kept_in_attribute(void) {
  int keyval;
  MPI_Comm* kept = malloc(sizeof *kept);
  MPI_Comm_dup(MPI_COMM_SELF, kept);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_comm, &keyval, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, kept);
  MPI_Comm_free_keyval(&keyval);
}

/* Requests of all kinds, ended in all ways. */
static void requests(void) {
  double out[4] = {1, 2, 3, 4}, in[4] = {0};
  MPI_Request list[4];
  MPI_Comm copy;
  int index, flag = 0, done, which[4];
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Recv_init(in, 4, MPI_DOUBLE, previous, 5, world, &list[0]);
  MPI_Send_init(out, 4, MPI_DOUBLE, next, 5, world, &list[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, list);
    MPI_Waitall(2, list, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&list[0]);
  MPI_Request_free(&list[1]);
  MPI_Irecv(in, 4, MPI_DOUBLE, MPI_ANY_SOURCE, 6, world, &list[0]);
  MPI_Isend(out, 2, MPI_DOUBLE, next, 6, world, &list[1]);
  MPI_Irecv(in, 4, MPI_DOUBLE, MPI_PROC_NULL, 6, world, &list[2]);
  MPI_Ibarrier(world, &list[3]);
  MPI_Waitany(4, list, &index, MPI_STATUS_IGNORE);
  MPI_Waitsome(4, list, &done, which, MPI_STATUSES_IGNORE);
  while (!flag) MPI_Testall(4, list, &flag, MPI_STATUSES_IGNORE);
  MPI_Comm_idup(world, &copy, &list[0]);
  MPI_Wait(&list[0], MPI_STATUS_IGNORE);
  MPI_Irecv(in, 4, MPI_DOUBLE, previous, 99, copy, &list[0]);
  MPI_Cancel(&list[0]);
  MPI_Wait(&list[0], MPI_STATUS_IGNORE);
  MPI_Isend(out, 1, MPI_DOUBLE, next, 7, copy, &list[0]);
  MPI_Request_free(&list[0]);
  MPI_Recv(in, 1, MPI_DOUBLE, previous, 7, copy, MPI_STATUS_IGNORE);
  MPI_Comm_free(&copy);
}

/* Each rank sends before it receives, which works for small messages because MPI buffers them. */
static void eager_exchange(void) {
  int value = rank;
  MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 1, world);
  MPI_Recv(&value, 1, MPI_INT, (rank + size - 1) % size, 1, world, MPI_STATUS_IGNORE);
}

/* Wildcard receives from several senders, then receives from named senders with the same tag. */
static void mixed_wildcards(void) {
  int value[8] = {0};
  if (rank == 0) {
    for (int i = 1; i < size; ++i)
      MPI_Recv(value, 8, MPI_INT, MPI_ANY_SOURCE, 2, world, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
    for (int i = size - 1; i > 0; --i) MPI_Recv(value, i, MPI_INT, i, 2, world, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(value, 8, MPI_INT, 0, 2, world);
    MPI_Barrier(world);
    MPI_Send(value, rank, MPI_INT, 0, 2, world);
  }
}

static void* send_later(void* none) {
  (void)none;
  int value = 7;
  sleep(1);
  MPI_Send(&value, 1, MPI_INT, rank, 9, world);
  return NULL;
}

/* The main thread waits for a message from a thread that has not called MPI before. */
static void served_by_a_thread(void) {
  pthread_t thread;
  int value = 0;
  pthread_create(&thread, NULL, send_later, NULL);
  MPI_Recv(&value, 1, MPI_INT, rank, 9, world, MPI_STATUS_IGNORE);
  pthread_join(thread, NULL);
}

/* A child that exits normally must not touch its parent's files. */
static void forks(void) {
  const pid_t child = fork();
  if (child == 0) exit(0);
  waitpid(child, NULL, 0);
  eager_exchange();
  MPI_Barrier(world);
}

static int is_busy;

/* MPI yields the CPU while it polls; on a busy machine it gets it back late. */
int sched_yield(void) {
  const struct timespec turn = {0, 15000000};
  if (is_busy) nanosleep(&turn, NULL);
  return 0;
}

/* Rank 1 polls often before it sends, as rank 0 waits. */
static void seldom_polls(void) {
  int value = 0, found = 0;
  is_busy = 1;
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 1, world, MPI_STATUS_IGNORE);
  if (rank == 1) {
    for (int i = 0; i < 200; ++i) MPI_Iprobe(0, 1, world, &found, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 0, 1, world);
  }
  is_busy = 0;
}

int main(int argc, char** argv) {
  const char* wanted = argc > 1 ? argv[1] : "";
  const int threads = strcmp(wanted, "served_by_a_thread") == 0;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  int found = 1;
  if (strcmp(wanted, "ring_any_source") == 0)
    ring_any_source();
  else if (strcmp(wanted, "one_computes") == 0)
    one_computes();
  else if (strcmp(wanted, "equal_signatures") == 0)
    equal_signatures();
  else if (strcmp(wanted, "kept_in_attribute") == 0)
    kept_in_attribute();
  else if (strcmp(wanted, "requests") == 0)
    requests();
  else if (strcmp(wanted, "eager_exchange") == 0)
    eager_exchange();
  else if (strcmp(wanted, "mixed_wildcards") == 0)
    mixed_wildcards();
  else if (strcmp(wanted, "served_by_a_thread") == 0)
    served_by_a_thread();
  else if (strcmp(wanted, "forks") == 0)
    forks();
  else if (strcmp(wanted, "seldom_polls") == 0)
    seldom_polls();
  else
    found = 0;
  MPI_Finalize();
  return found ? 0 : 2;
}
