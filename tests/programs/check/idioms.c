/* SPDX-License-Identifier: BSD-3-Clause */
/* Short correct programs, one after another on a communicator each, for plait check to stay silent.
 * Any number of ranks from 2 on. Prints their number. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, next, previous;
static MPI_Comm comm;

#define IGNORE MPI_STATUS_IGNORE

/* Even ranks send first, odd ones receive first. */
static void synchronous_in_turn(void) {
  int value = rank, other = rank ^ 1;
  if (other >= size) return;
  if (rank % 2 == 0) MPI_Ssend(&value, 1, MPI_INT, other, 1, comm);
  MPI_Recv(&value, 1, MPI_INT, other, 1, comm, IGNORE);
  if (rank % 2 == 1) MPI_Ssend(&value, 1, MPI_INT, other, 1, comm);
}

/* A token goes around; only rank 0 sends first. */
static void token(void) {
  int value = 0;
  if (rank > 0) MPI_Recv(&value, 1, MPI_INT, previous, 1, comm, IGNORE);
  MPI_Send(&value, 1, MPI_INT, next, 1, comm);
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, previous, 1, comm, IGNORE);
}

static void chain_without_end(void) {
  int value = 0;
  const int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  const int down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  MPI_Send(&value, 1, MPI_INT, up, 1, comm);
  MPI_Recv(&value, 1, MPI_INT, down, 1, comm, IGNORE);
}

static void ring_of_sendrecv(void) {
  int out = rank, in = 0;
  for (int i = 0; i < 3; ++i)
    MPI_Sendrecv(&out, 1, MPI_INT, next, 1, &in, 1, MPI_INT, previous, 1, comm, IGNORE);
  MPI_Sendrecv_replace(&out, 1, MPI_INT, next, 2, previous, 2, comm, IGNORE);
}

static void ring_of_isend(void) {
  int out = rank, in = 0;
  MPI_Request request;
  MPI_Isend(&out, 1, MPI_INT, next, 1, comm, &request);
  MPI_Recv(&in, 1, MPI_INT, previous, 1, comm, IGNORE);
  MPI_Wait(&request, IGNORE);
}

static void ring_of_irecv(void) {
  int out = rank, in = 0;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, previous, 1, comm, &request);
  MPI_Send(&out, 1, MPI_INT, next, 1, comm);
  MPI_Wait(&request, IGNORE);
}

static void ring_of_bsend(void) {
  int out = rank, in = 0, bytes;
  char* buffer = malloc(1000 + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(buffer, 1000 + MPI_BSEND_OVERHEAD);
  MPI_Bsend(&out, 1, MPI_INT, next, 1, comm);
  MPI_Recv(&in, 1, MPI_INT, previous, 1, comm, IGNORE);
  MPI_Buffer_detach(&buffer, &bytes);
  free(buffer);
}

static void waits_in_another_order(void) {
  int out[2] = {rank, rank}, in[2];
  MPI_Request requests[4];
  for (int i = 0; i < 2; ++i) {
    MPI_Isend(&out[i], 1, MPI_INT, next, i, comm, &requests[i]);
    MPI_Irecv(&in[1 - i], 1, MPI_INT, previous, 1 - i, comm, &requests[2 + i]);
  }
  for (int i = 0; i < 4; ++i) MPI_Wait(&requests[i], IGNORE);
}

static void halo_of_waitall(void) {
  int out = rank, in[2];
  MPI_Request requests[4];
  for (int i = 0; i < 3; ++i) {
    MPI_Irecv(&in[0], 1, MPI_INT, previous, 1, comm, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, next, 2, comm, &requests[1]);
    MPI_Isend(&out, 1, MPI_INT, next, 1, comm, &requests[2]);
    MPI_Isend(&out, 1, MPI_INT, previous, 2, comm, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
}

static void halo_of_waitany(void) {
  int out = rank, in[2], index;
  MPI_Request requests[4];
  MPI_Isend(&out, 1, MPI_INT, next, 1, comm, &requests[0]);
  MPI_Isend(&out, 1, MPI_INT, previous, 2, comm, &requests[1]);
  MPI_Irecv(&in[0], 1, MPI_INT, previous, 1, comm, &requests[2]);
  MPI_Irecv(&in[1], 1, MPI_INT, next, 2, comm, &requests[3]);
  for (int i = 0; i < 4; ++i) MPI_Waitany(4, requests, &index, IGNORE);
}

static void tests_until_done(void) {
  int out = rank, in, flag = 0;
  MPI_Request requests[2];
  MPI_Isend(&out, 1, MPI_INT, next, 1, comm, &requests[0]);
  MPI_Irecv(&in, 1, MPI_INT, previous, 1, comm, &requests[1]);
  while (!flag) MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
}

static void persistent_ring(void) {
  int out = rank, in;
  MPI_Request requests[2];
  MPI_Send_init(&out, 1, MPI_INT, next, 1, comm, &requests[0]);
  MPI_Recv_init(&in, 1, MPI_INT, previous, 1, comm, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
}

/* A sum of what all others send, in any order. */
static void sum_of_any(void) {
  int value = rank, sum = 0;
  if (rank > 0) MPI_Send(&value, 1, MPI_INT, 0, 1, comm);
  for (int i = 1; i < size && rank == 0; ++i) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, IGNORE);
    sum += value;
  }
}

/* Results are stored by their sender. */
static void results_of_any(void) {
  int value = rank, all[1024];
  MPI_Status status;
  if (rank > 0) MPI_Send(&value, 1, MPI_INT, 0, 1, comm);
  for (int i = 1; i < size && rank == 0; ++i) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    all[status.MPI_SOURCE % 1024] = value;
  }
  (void)all;
}

/* Workers ask for jobs until there are none. */
static void master_and_workers(void) {
  int job = 0, left = size - 1, jobs = 3 * size;
  MPI_Status status;
  if (rank == 0) {
    while (left > 0) {
      MPI_Recv(&job, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &status);
      job = jobs > 0 ? jobs-- : 0;
      if (job == 0) --left;
      MPI_Send(&job, 1, MPI_INT, status.MPI_SOURCE, 2, comm);
    }
    return;
  }
  do {
    MPI_Send(&job, 1, MPI_INT, 0, 1, comm);
    MPI_Recv(&job, 1, MPI_INT, 0, 2, comm, IGNORE);
  } while (job != 0);
}

/* The first receive says who sends more, with the same tag. */
static void header_and_data(void) {
  int header = 3, data[3] = {1, 2, 3};
  MPI_Status status;
  if (rank > 0) {
    MPI_Send(&header, 1, MPI_INT, 0, 1, comm);
    MPI_Send(data, 3, MPI_INT, 0, 2, comm);
  }
  for (int i = 1; i < size && rank == 0; ++i) {
    MPI_Recv(&header, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &status);
    MPI_Recv(data, header, MPI_INT, status.MPI_SOURCE, 2, comm, IGNORE);
  }
}

/* A message carries its sender, whom the next receive names. */
static void sender_in_the_message(void) {
  int value = rank, data = 0;
  if (rank > 0) {
    MPI_Send(&value, 1, MPI_INT, 0, 1, comm);
    MPI_Send(&data, 1, MPI_INT, 0, 1, comm);
  }
  for (int i = 1; i < size && rank == 0; ++i) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, IGNORE);
    MPI_Recv(&data, 1, MPI_INT, value, 1, comm, IGNORE);
  }
}

/* Rounds of receives from any source, with something in between that all wait for. */
static void rounds_with_a_barrier(void) {
  int value = rank;
  if (rank > 0) MPI_Send(&value, 1, MPI_INT, 0, 1, comm);
  for (int i = 1; i < size && rank == 0; ++i)
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, IGNORE);
  MPI_Barrier(comm);
  if (rank > 0) MPI_Send(&value, 1, MPI_INT, 0, 1, comm);
  for (int i = size - 1; i > 0 && rank == 0; --i) MPI_Recv(&value, 1, MPI_INT, i, 1, comm, IGNORE);
}

static void rounds_with_a_broadcast(void) {
  int value = rank, size_of_message = 1;
  if (rank > 0) MPI_Send(&value, 1, MPI_INT, 0, 1, comm);
  for (int i = 1; i < size && rank == 0; ++i)
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, IGNORE);
  MPI_Bcast(&size_of_message, 1, MPI_INT, 0, comm);
  double more[2] = {0, 0};
  if (rank > 0) MPI_Send(more, 2, MPI_DOUBLE, 0, 1, comm);
  for (int i = 1; i < size && rank == 0; ++i)
    MPI_Recv(more, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 1, comm, IGNORE);
}

/* Answers let the next message begin. */
static void rounds_with_answers(void) {
  int value = rank;
  double more = 0;
  for (int i = 1; i < size && rank == 0; ++i)
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, IGNORE);
  for (int i = 1; i < size && rank == 0; ++i) MPI_Ssend(&value, 1, MPI_INT, i, 2, comm);
  if (rank > 0) MPI_Send(&value, 1, MPI_INT, 0, 1, comm);
  if (rank > 0) MPI_Recv(&value, 1, MPI_INT, 0, 2, comm, IGNORE);
  if (rank > 0) MPI_Send(&more, 1, MPI_DOUBLE, 0, 1, comm);
  for (int i = 1; i < size && rank == 0; ++i)
    MPI_Recv(&more, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 1, comm, IGNORE);
}

static void probe_and_receive(void) {
  int values[8] = {0}, count;
  MPI_Status status;
  if (rank > 0) MPI_Send(values, 1 + rank % 7, MPI_INT, 0, rank, comm);
  for (int i = 1; i < size && rank == 0; ++i) {
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Recv(values, count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comm, IGNORE);
  }
}

static void iprobe_and_receive(void) {
  int value = 0, flag, left = size - 1;
  MPI_Status status;
  if (rank > 0) MPI_Send(&value, 1, MPI_INT, 0, 1, comm);
  while (rank == 0 && left > 0) {
    MPI_Iprobe(MPI_ANY_SOURCE, 1, comm, &flag, &status);
    if (!flag) continue;
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 1, comm, IGNORE);
    --left;
  }
}

static void matched_probe(void) {
  int value = 0;
  MPI_Message message;
  MPI_Status status;
  if (rank > 0) MPI_Ssend(&value, 1, MPI_INT, 0, 1, comm);
  for (int i = 1; i < size && rank == 0; ++i) {
    MPI_Mprobe(MPI_ANY_SOURCE, 1, comm, &message, &status);
    MPI_Mrecv(&value, 1, MPI_INT, &message, IGNORE);
  }
}

/* Receives for all are posted before anybody sends. */
static void posted_for_any(void) {
  int values[8], out = rank, count = size - 1 < 8 ? size - 1 : 8;
  MPI_Request requests[8];
  for (int i = 0; i < count && rank == 0; ++i)
    MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &requests[i]);
  MPI_Barrier(comm);
  if (rank > 0 && rank <= count) MPI_Send(&out, 1, MPI_INT, 0, 1, comm);
  if (rank == 0) MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void unneeded_receive(void) {
  int value;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 9, comm, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, IGNORE);
}

static void message_to_itself(void) {
  int out = rank, in;
  MPI_Request request;
  MPI_Isend(&out, 1, MPI_INT, rank, 1, comm, &request);
  MPI_Recv(&in, 1, MPI_INT, rank, 1, comm, IGNORE);
  MPI_Wait(&request, IGNORE);
}

static void tree(void) {
  int value = rank, child = 0;
  for (int i = 1; i <= 2; ++i)
    if (2 * rank + i < size) {
      MPI_Recv(&child, 1, MPI_INT, 2 * rank + i, 1, comm, IGNORE);
      value += child;
    }
  if (rank > 0) MPI_Send(&value, 1, MPI_INT, (rank - 1) / 2, 1, comm);
}

static void pipeline(void) {
  double block[64] = {0};
  for (int i = 0; i < 5; ++i) {
    if (rank > 0) MPI_Recv(block, 64, MPI_DOUBLE, rank - 1, i, comm, IGNORE);
    if (rank + 1 < size) MPI_Send(block, 64, MPI_DOUBLE, rank + 1, i, comm);
  }
}

static void broadcast_before_message(void) {
  int value = 1;
  MPI_Bcast(&value, 1, MPI_INT, 0, comm);
  if (rank == 0)
    for (int i = 1; i < size; ++i) MPI_Send(&value, 1, MPI_INT, i, 1, comm);
  else
    MPI_Recv(&value, 1, MPI_INT, 0, 1, comm, IGNORE);
  MPI_Reduce(rank ? &value : MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, 0, comm);
}

static void nonblocking_collectives(void) {
  int value = rank, sum, in;
  MPI_Request requests[3];
  MPI_Ibarrier(comm, &requests[0]);
  MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[1]);
  MPI_Irecv(&in, 1, MPI_INT, previous, 1, comm, &requests[2]);
  MPI_Send(&value, 1, MPI_INT, next, 1, comm);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

/* The termination of a sparse exchange (Hoefler, Siebert, Lumsdaine 2010). */
static void sparse_exchange(void) {
  int value = rank, in, flag = 0, sent = 0, done = 0;
  MPI_Request request, barrier;
  MPI_Status status;
  MPI_Issend(&value, 1, MPI_INT, next, 1, comm, &request);
  while (!done) {
    MPI_Iprobe(MPI_ANY_SOURCE, 1, comm, &flag, &status);
    if (flag) MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, 1, comm, IGNORE);
    if (!sent) {
      MPI_Test(&request, &sent, IGNORE);
      if (sent) MPI_Ibarrier(comm, &barrier);
    } else {
      MPI_Test(&barrier, &done, IGNORE);
    }
  }
}

static void neighbours(void) {
  int dims[1] = {size}, periods[1] = {1}, out = rank, in[2];
  MPI_Comm ring;
  MPI_Cart_create(comm, 1, dims, periods, 0, &ring);
  MPI_Neighbor_allgather(&out, 1, MPI_INT, in, 1, MPI_INT, ring);
  MPI_Comm_free(&ring);
}

static void sparse_alltoall(void) {
  int counts[64] = {0}, taken[64] = {0}, places[64] = {0}, out = rank, in = 0;
  if (size > 64) return;
  counts[next] = 1;
  taken[previous] = 1;
  MPI_Alltoallv(&out, counts, places, MPI_INT, &in, taken, places, MPI_INT, comm);
}

static void halves(void) {
  MPI_Comm half;
  int value = rank, sum, own, others;
  MPI_Comm_split(comm, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &own);
  MPI_Comm_size(half, &others);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, half);
  MPI_Bcast(&value, 1, MPI_INT, others - 1, half);
  MPI_Comm_free(&half);
}

static void fence(void) {
  int memory = 0, value = rank;
  MPI_Win win;
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, comm, &win);
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void lock(void) {
  int* memory;
  int value = 1;
  MPI_Win win;
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, comm, &memory, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  *memory = 0;
  MPI_Win_unlock(rank, win);
  MPI_Barrier(comm);
  MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
  MPI_Accumulate(&value, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_unlock(next, win);
  MPI_Barrier(comm);
  MPI_Win_free(&win);
}

/* The others poll while rank 0 computes, much longer than the stall time of the test. */
static void polls_while_one_computes(void) {
  int value = 0, flag = 0;
  MPI_Request request;
  if (rank == 0) {
    sleep(2);
    for (int i = 1; i < size; ++i) MPI_Send(&value, 1, MPI_INT, i, 1, comm);
    return;
  }
  MPI_Irecv(&value, 1, MPI_INT, 0, 1, comm, &request);
  while (!flag) MPI_Test(&request, &flag, IGNORE);
}

/* Looks for messages for some time, in which none comes, and goes on. */
static void polls_for_a_time(void) {
  int flag = 0;
  const double end = MPI_Wtime() + 2;
  while (rank == 0 && !flag && MPI_Wtime() < end) {
    MPI_Iprobe(MPI_ANY_SOURCE, 1, comm, &flag, IGNORE);
    usleep(1000);
  }
  MPI_Barrier(comm);
}

static void (*const cases[])(void) = {synchronous_in_turn,
                                      token,
                                      chain_without_end,
                                      ring_of_sendrecv,
                                      ring_of_isend,
                                      ring_of_irecv,
                                      ring_of_bsend,
                                      waits_in_another_order,
                                      halo_of_waitall,
                                      halo_of_waitany,
                                      tests_until_done,
                                      persistent_ring,
                                      sum_of_any,
                                      results_of_any,
                                      master_and_workers,
                                      header_and_data,
                                      sender_in_the_message,
                                      rounds_with_a_barrier,
                                      rounds_with_a_broadcast,
                                      rounds_with_answers,
                                      probe_and_receive,
                                      iprobe_and_receive,
                                      matched_probe,
                                      posted_for_any,
                                      unneeded_receive,
                                      message_to_itself,
                                      tree,
                                      pipeline,
                                      broadcast_before_message,
                                      nonblocking_collectives,
                                      sparse_exchange,
                                      neighbours,
                                      sparse_alltoall,
                                      halves,
                                      polls_while_one_computes,
                                      polls_for_a_time};
/* Plait does not judge races of a program that also uses windows. */
static void (*const window_cases[])(void) = {fence, lock};

int main(int argc, char** argv) {
  const int windows = argc > 1 && strcmp(argv[1], "windows") == 0;
  const int count =
      windows ? sizeof window_cases / sizeof *window_cases : sizeof cases / sizeof *cases;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (rank + 1) % size;
  previous = (rank + size - 1) % size;
  for (int i = 0; i < count; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    (windows ? window_cases : cases)[i]();
    MPI_Comm_free(&comm);
  }
  MPI_Finalize();
  if (rank == 0) printf("%d programs\n", count);
  return 0;
}
