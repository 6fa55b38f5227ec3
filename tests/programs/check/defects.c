/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with one defect, chosen by its first argument, for plait check to find. The second one
 * is its exit code. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT 100000 /* too large for an eager message of any MPI */

static int rank, size;
static MPI_Comm world;
static double many[COUNT];

static int next_rank(void) {
  return (rank + 1) % size;
}
static int previous_rank(void) {
  return (rank + size - 1) % size;
}

/* Every rank receives before it sends. */
static void deadlock_receive(void) {
  int value = rank;
  MPI_Recv(&value, 1, MPI_INT, previous_rank(), 1, world, MPI_STATUS_IGNORE);
  MPI_Send(&value, 1, MPI_INT, next_rank(), 1, world);
}

/* Every rank sends more than MPI buffers before it receives. */
static void deadlock_send(void) {
  MPI_Ssend(many, COUNT, MPI_DOUBLE, next_rank(), 1, world);
  MPI_Recv(many, COUNT, MPI_DOUBLE, previous_rank(), 1, world, MPI_STATUS_IGNORE);
}

static void deadlock_any_source(void) {
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, world, MPI_STATUS_IGNORE);
}

/* Rank 0 waits in Waitall for a message that rank 1 sends only after a barrier. */
static void deadlock_barrier(void) {
  int value = 0;
  MPI_Request request;
  if (rank == 0) {
    MPI_Irecv(&value, 1, MPI_INT, 1, 1, world, &request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  }
  MPI_Barrier(world);
  if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 1, world);
}

/* Rank 0 waits for a message from a rank that ends. */
static void deadlock_ended(void) {
  int value = 0;
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 1, world, MPI_STATUS_IGNORE);
}

static void missing_barrier(void) {
  if (rank != 1) MPI_Barrier(world);
}

/* Ranks 0 and 1 wait for each other, the others compute for a while. */
static void deadlock_of_two(void) {
  int value = 0;
  if (rank < 2)
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 1, world, MPI_STATUS_IGNORE);
  else
    sleep(600);
}

static void type_mismatch(void) {
  double value = 1;
  int received[2];
  if (rank == 0) MPI_Send(&value, 1, MPI_DOUBLE, 1, 1, world);
  if (rank == 1) MPI_Recv(received, 2, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
}

/* The same bytes as a structure of different basic types. */
static void type_mismatch_struct(void) {
  struct {
    int a, b;
    double c;
  } value = {1, 2, 3};
  int lengths[2] = {2, 1};
  MPI_Aint places[2] = {0, 8};
  MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, made;
  MPI_Request request;
  MPI_Type_create_struct(2, lengths, places, types, &made);
  MPI_Type_commit(&made);
  if (rank == 0) MPI_Send(&value, 1, made, 1, 1, world);
  if (rank == 1) {
    MPI_Irecv(&value, 4, MPI_FLOAT, 0, 1, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&made);
}

static void truncated_receive(void) {
  int values[8] = {0};
  if (rank == 0) MPI_Send(values, 8, MPI_INT, 1, 1, world);
  if (rank == 1) MPI_Recv(values, 4, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
}

static void truncated_receive_returns(void) {
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  truncated_receive();
}

static void buffer_changed(void) {
  MPI_Request request;
  if (rank == 0) {
    MPI_Isend(many, COUNT, MPI_DOUBLE, 1, 1, world, &request);
    many[COUNT / 2] = 1;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank == 1) MPI_Recv(many, COUNT, MPI_DOUBLE, 0, 1, world, MPI_STATUS_IGNORE);
}

static void buffer_overlap(void) {
  MPI_Request requests[2];
  if (rank == 0) {
    MPI_Irecv(many, 10, MPI_DOUBLE, 1, 1, world, &requests[0]);
    MPI_Irecv(many + 5, 10, MPI_DOUBLE, 1, 2, world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  if (rank == 1) {
    MPI_Send(many, 10, MPI_DOUBLE, 0, 1, world);
    MPI_Send(many, 10, MPI_DOUBLE, 0, 2, world);
  }
}

static void request_leak(void) {
  static int value;
  MPI_Request request;
  if (rank == 0) MPI_Isend(&value, 1, MPI_INT, 1, 1, world, &request);
  if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
}

static void persistent_leak(void) {
  static int value;
  MPI_Request request;
  if (rank == 0) MPI_Send_init(&value, 1, MPI_INT, 1, 1, world, &request);
}

static void communicator_leak(void) {
  MPI_Comm made;
  MPI_Comm_dup(world, &made);
}

static void datatype_leak(void) {
  MPI_Datatype made;
  MPI_Type_contiguous(3, MPI_INT, &made);
}

static void group_leak(void) {
  MPI_Group made;
  if (rank == 0) MPI_Comm_group(world, &made);
}

static void window_leak(void) {
  static int value;
  MPI_Win made;
  MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, world, &made);
}

static void unreceived_message(void) {
  int value = 0;
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 7, world);
}

static void collective_kind(void) {
  static int value[64];
  if (rank == 0)
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, value, 1, MPI_INT, world);
  else
    MPI_Barrier(world);
}

static void collective_root(void) {
  int value = 1, sum = 0;
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, rank == 0 ? 0 : 1, world);
}

static void collective_operation(void) {
  int value = 1, result = 0;
  MPI_Allreduce(&value, &result, 1, MPI_INT, rank == 0 ? MPI_MAX : MPI_SUM, world);
}

static void collective_count(void) {
  int values[4] = {0};
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Bcast(values, rank == 0 ? 2 : 4, MPI_INT, 0, world);
}

/* Some ranks leave the call and finalize, others may wait forever. */
static void collective_count_hangs(void) {
  int values[3] = {0}, sums[3];
  MPI_Allreduce(values, sums, rank == 1 ? 2 : 3, MPI_INT, MPI_SUM, world);
}

static void collective_type(void) {
  int values[2] = {0};
  MPI_Bcast(values, rank == 0 ? 2 : 1, rank == 0 ? MPI_INT : MPI_DOUBLE, 0, world);
}

/* Rank 1 sends one element more than the root expects of it. */
static void collective_count_v(void) {
  int value[2] = {rank, rank}, all[64], counts[64], places[64];
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = 2 * i;
  MPI_Gatherv(value, rank == 1 ? 2 : 1, MPI_INT, all, counts, places, MPI_INT, 0, world);
}

static void* send_to_self(void* none) {
  (void)none;
  int value = 1, received = 0;
  MPI_Sendrecv(&value, 1, MPI_INT, rank, 3, &received, 1, MPI_INT, rank, 3, world,
               MPI_STATUS_IGNORE);
  return NULL;
}

static void thread_level(void) {
  pthread_t thread;
  if (rank != 1) return;
  pthread_create(&thread, NULL, send_to_self, NULL);
  pthread_join(thread, NULL);
}

static volatile int waiting;

static void* ask_in_between(void* peer) {
  int unused;
  while (!waiting) usleep(1000);
  for (int i = 0; i < 200; ++i) {
    MPI_Comm_rank(world, &unused);
    usleep(1000);
  }
  kill(*(pid_t*)peer, SIGUSR1);
  return NULL;
}

/* A thread asks for its rank while the main thread is in a receive, which ends afterwards. */
static void threads_at_a_time(void) {
  pthread_t thread;
  int value = 0;
  pid_t own = getpid(), peer = 0;
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &wanted, NULL);
  if (rank > 1) return;
  MPI_Sendrecv(&own, 1, MPI_INT, 1 - rank, 1, &peer, 1, MPI_INT, 1 - rank, 1, world,
               MPI_STATUS_IGNORE);
  if (rank == 1) {
    sigwait(&wanted, &value);
    MPI_Send(&value, 1, MPI_INT, 0, 2, world);
    return;
  }
  pthread_create(&thread, NULL, ask_in_between, &peer);
  waiting = 1;
  MPI_Recv(&value, 1, MPI_INT, 1, 2, world, MPI_STATUS_IGNORE);
  pthread_join(thread, NULL);
}

/* The error of a request that MPI returns is not a leak of the request, too. */
static void truncated_request(void) {
  int values[8] = {0};
  MPI_Request request;
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  if (rank == 0) MPI_Send(values, 8, MPI_INT, 1, 1, world);
  if (rank != 1) return;
  MPI_Irecv(values, 4, MPI_INT, 0, 1, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Nor is there a request if the call that would begin it returns that error. */
static void truncated_at_once(void) {
  int own[8] = {0}, all[64] = {0};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  if (MPI_Igather(own, rank == 0 ? 8 : 4, MPI_INT, all, 4, MPI_INT, 0, world, &request) ==
      MPI_SUCCESS)
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Every rank sends before it receives, several times. */
static void unsafe_ring(void) {
  for (int round = 0; round < 5; ++round) {
    int value = rank;
    MPI_Send(&value, 1, MPI_INT, next_rank(), 1, world);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, world, MPI_STATUS_IGNORE);
  }
}

/* Two ranks send before a barrier what the other receives after it. */
static void unsafe_barrier(void) {
  int value = rank;
  if (rank < 2) MPI_Send(&value, 1, MPI_INT, 1 - rank, 1, world);
  MPI_Barrier(world);
  if (rank < 2) MPI_Recv(&value, 1, MPI_INT, 1 - rank, 1, world, MPI_STATUS_IGNORE);
}

/* If the message of rank 1 comes first, rank 0 waits in vain for another one. The sleep decides. */
static void race_for_named(void) {
  int value = rank;
  if (rank == 0) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, world, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 1, 1, world, MPI_STATUS_IGNORE);
  } else if (rank < 3) {
    if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 2, 2, world, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, 0, 1, world);
    if (rank == 2) sleep(1);
    if (rank == 2) MPI_Send(&value, 1, MPI_INT, 1, 2, world);
  }
}

/* The longer message may come first, and does not fit. */
static void race_for_room(void) {
  int values[8] = {0};
  MPI_Status status;
  if (rank == 0) {
    MPI_Recv(values, 4, MPI_INT, MPI_ANY_SOURCE, 1, world, &status);
    MPI_Recv(values, 8, MPI_INT, MPI_ANY_SOURCE, 1, world, &status);
  } else if (rank < 3) {
    if (rank == 1) MPI_Recv(values, 1, MPI_INT, 2, 2, world, MPI_STATUS_IGNORE);
    MPI_Send(values, rank == 1 ? 8 : 4, MPI_INT, 0, 1, world);
    if (rank == 2) sleep(1);
    if (rank == 2) MPI_Send(values, 1, MPI_INT, 1, 2, world);
  }
}

/* Nothing waits between two rounds, so that a fast rank takes part in the round before. */
static void race_of_phases(void) {
  int value = 1, sum = 0;
  for (int i = 1; i < size && rank == 0; ++i) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, world, MPI_STATUS_IGNORE);
    sum += value;
  }
  if (rank > 0) MPI_Send(&value, 1, MPI_INT, 0, 1, world);
  for (int i = 1; i < size && rank == 0; ++i) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, world, MPI_STATUS_IGNORE);
    sum -= value;
  }
  if (rank > 0) MPI_Send(&value, 1, MPI_INT, 0, 1, world);
}

/* All ranks test for a message that no rank sends. */
static void polls_test(void) {
  int value = 0, flag = 0;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, previous_rank(), 1, world, &request);
  while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

/* Rank 0 probes for a message, the others wait for it in a barrier. */
static void polls_probe(void) {
  int flag = 0;
  while (rank == 0 && !flag)
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &flag, MPI_STATUS_IGNORE);
  MPI_Barrier(world);
}

static void make_type(void) {
  MPI_Datatype made;
  MPI_Type_contiguous(3, MPI_INT, &made);
}
static void first_path(void) {
  make_type();
}
static void second_path(void) {
  first_path();
}

/* The same call leaks a datatype on four paths. */
static void leak_on_paths(void) {
  make_type();
  first_path();
  second_path();
  if (rank == 0) second_path();
}

/* Each rank sends a message to the next one that does not receive it. */
static void unreceived_by_all(void) {
  int value = 0;
  MPI_Send(&value, 1, MPI_INT, next_rank(), 7, world);
}

static void nothing(void) {}

static const struct {
  const char* name;
  void (*run)(void);
} defects[] = {{"deadlock_receive", deadlock_receive},
               {"deadlock_send", deadlock_send},
               {"deadlock_any_source", deadlock_any_source},
               {"deadlock_barrier", deadlock_barrier},
               {"deadlock_ended", deadlock_ended},
               {"missing_barrier", missing_barrier},
               {"deadlock_of_two", deadlock_of_two},
               {"type_mismatch", type_mismatch},
               {"type_mismatch_struct", type_mismatch_struct},
               {"truncated_receive", truncated_receive},
               {"truncated_receive_returns", truncated_receive_returns},
               {"truncated_request", truncated_request},
               {"truncated_at_once", truncated_at_once},
               {"buffer_changed", buffer_changed},
               {"buffer_overlap", buffer_overlap},
               {"request_leak", request_leak},
               {"persistent_leak", persistent_leak},
               {"communicator_leak", communicator_leak},
               {"datatype_leak", datatype_leak},
               {"group_leak", group_leak},
               {"window_leak", window_leak},
               {"unreceived_message", unreceived_message},
               {"collective_kind", collective_kind},
               {"collective_root", collective_root},
               {"collective_operation", collective_operation},
               {"collective_count", collective_count},
               {"collective_count_hangs", collective_count_hangs},
               {"collective_type", collective_type},
               {"collective_count_v", collective_count_v},
               {"thread_level", thread_level},
               {"threads_at_a_time", threads_at_a_time},
               {"unsafe_ring", unsafe_ring},
               {"unsafe_barrier", unsafe_barrier},
               {"race_for_named", race_for_named},
               {"race_for_room", race_for_room},
               {"race_of_phases", race_of_phases},
               {"polls_test", polls_test},
               {"polls_probe", polls_probe},
               {"leak_on_paths", leak_on_paths},
               {"unreceived_by_all", unreceived_by_all},
               {"after_finalize", nothing},
               {"none", nothing}};

int main(int argc, char** argv) {
  const char* wanted = argc > 1 ? argv[1] : "";
  int provided = 0, found = 0;
  const int both = strcmp(wanted, "threads_at_a_time") == 0;
  MPI_Init_thread(&argc, &argv, both ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED, &provided);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  for (size_t i = 0; i < sizeof defects / sizeof *defects; ++i)
    if (strcmp(wanted, defects[i].name) == 0) {
      defects[i].run();
      found = 1;
    }
  if (!found) fprintf(stderr, "no such defect: %s\n", wanted);
  MPI_Finalize();
  if (rank == 1 && strcmp(wanted, "after_finalize") == 0) MPI_Comm_rank(world, &rank);
  return !found ? 2 : argc > 2 ? atoi(argv[2]) : 0;
}
