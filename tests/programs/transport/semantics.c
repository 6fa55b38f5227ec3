/* SPDX-License-Identifier: BSD-3-Clause */
/* What MPI promises of messages, with sizes on both sides of every threshold of the transport.
 *
 * semantics [GROUP...]: runs groups of checks (default: all) on 2 or more ranks. Rank 0 prints
 * "passed N checks"; the exit code is the number of failures of all ranks, at most 100.
 *
 * semantics die: rank 1 is killed while the others wait for it.
 *
 * semantics environment: rank 0 prints its environment. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char** environ;
static int rank, ranks, checks, failures;

#define CHECK(condition)                                                     \
  do {                                                                       \
    ++checks;                                                                \
    if (!(condition)) {                                                      \
      ++failures;                                                            \
      fprintf(stderr, "rank %d, line %d: %s\n", rank, __LINE__, #condition); \
    }                                                                        \
  } while (0)

static const int sizes[] = {0,     1,     8,     191,   192,    193,    199,    200,   201,
                            4095,  4096,  4097,  32767, 32768,  32769,  36863,  36864, 36865,
                            65535, 65536, 65537, 69633, 300000, 524288, 1048577};
enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 1048577 };

static unsigned char expected_byte(int size, int i, int from) {
  return (unsigned char)(size * 31 + i * 7 + from);
}

static void fill(unsigned char* data, int size, int from) {
  for (int i = 0; i < size; ++i) data[i] = expected_byte(size, i, from);
}

static int is_filled(const unsigned char* data, int size, int from) {
  for (int i = 0; i < size; ++i) {
    if (data[i] != expected_byte(size, i, from)) return 0;
  }
  return 1;
}

static unsigned char *out, *in;

/* Every size, expected and unexpected, from every rank to the next. */
static void check_sizes(void) {
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (int early = 0; early < 2; ++early) {
    for (int s = 0; s < SIZES; ++s) {
      MPI_Request requests[2];
      MPI_Status status;
      int count;
      fill(out, sizes[s], rank);
      if (!early) MPI_Irecv(in, MOST, MPI_BYTE, before, s, MPI_COMM_WORLD, &requests[1]);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Isend(out, sizes[s], MPI_BYTE, next, s, MPI_COMM_WORLD, &requests[0]);
      if (early) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Irecv(in, MOST, MPI_BYTE, before, s, MPI_COMM_WORLD, &requests[1]);
      }
      MPI_Wait(&requests[1], &status);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      MPI_Get_count(&status, MPI_BYTE, &count);
      CHECK(count == sizes[s] && status.MPI_SOURCE == before && status.MPI_TAG == s);
      CHECK(is_filled(in, sizes[s], before));
    }
  }
}

/* Messages to oneself. */
static void check_self(void) {
  for (int s = 0; s < SIZES; ++s) {
    MPI_Request request;
    fill(out, sizes[s], rank);
    MPI_Isend(out, sizes[s], MPI_BYTE, 0, s, MPI_COMM_SELF, &request);
    MPI_Recv(in, MOST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(is_filled(in, sizes[s], rank));
  }
}

/* Any source and any tag; messages of one sender stay in order, whatever their sizes. */
static void check_any(void) {
  enum { EACH = 40 };
  if (rank != 0) {
    for (int i = 0; i < EACH; ++i) {
      const int size = sizes[i % SIZES] < 8 ? 8 : sizes[i % SIZES];
      memcpy(out, &i, sizeof i);
      MPI_Send(out, size, MPI_BYTE, 0, i % 3, MPI_COMM_WORLD);
    }
    return;
  }
  int* const next = calloc((size_t)ranks, sizeof *next);
  for (int n = 0; n < EACH * (ranks - 1); ++n) {
    MPI_Status status;
    int number;
    MPI_Recv(in, MOST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    memcpy(&number, in, sizeof number);
    CHECK(number == next[status.MPI_SOURCE]++ && status.MPI_TAG == number % 3);
  }
  free(next);
}

/* Many messages that nobody expects yet, taken in another order by their tags. */
static void check_unexpected(void) {
  enum { MANY = 2000 };
  if (rank == 1) {
    MPI_Request* const requests = malloc(MANY * sizeof *requests);
    int* const numbers = malloc(MANY * sizeof *numbers);
    for (int i = 0; i < MANY; ++i) {
      numbers[i] = i;
      MPI_Isend(&numbers[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Send(NULL, 0, MPI_INT, 0, MANY, MPI_COMM_WORLD);
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    free(numbers);
    free(requests);
  } else if (rank == 0) {
    MPI_Recv(NULL, 0, MPI_INT, 1, MANY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = MANY - 1; i >= 0; --i) {
      int number = -1;
      MPI_Recv(&number, 1, MPI_INT, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(number == i);
    }
  }
}

/* Sends do not wait for a receiver that makes no call before they have begun: until the other rank
 * has removed a file. */
static void check_asleep(void) {
  enum { MANY = 100 };
  static int numbers[MANY];
  MPI_Request requests[MANY];
  char path[] = "/tmp/plait-semantics-XXXXXX";
  if (rank == 0) close(mkstemp(path));
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    for (int i = 0; i < MANY; ++i) {
      numbers[i] = i;
      MPI_Isend(&numbers[i], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[i]);
    }
    unlink(path);
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
  } else if (rank == 0) {
    while (access(path, F_OK) == 0) usleep(1000);
    for (int i = 0; i < MANY; ++i) {
      int number = -1;
      MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(number == i);
    }
  }
}

static void check_probe(void) {
  for (int s = 0; s < SIZES; ++s) {
    MPI_Status status;
    int count, flag = 0;
    if (rank == 1) {
      fill(out, sizes[s], rank);
      MPI_Send(out, sizes[s], MPI_BYTE, 0, s, MPI_COMM_WORLD);
    } else if (rank == 0) {
      if (s % 2 == 0) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      } else {
        while (!flag) MPI_Iprobe(1, s, MPI_COMM_WORLD, &flag, &status);
      }
      MPI_Get_count(&status, MPI_BYTE, &count);
      CHECK(count == sizes[s] && status.MPI_SOURCE == 1 && status.MPI_TAG == s);
      MPI_Recv(in, count, MPI_BYTE, 1, s, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(is_filled(in, sizes[s], 1));
    }
  }
}

/* Two ranks send to each other and to themselves: a receive from any source takes the message that
   a probe from any source has found. */
static void check_probe_any(void) {
  if (rank > 1) return;
  for (int round = 0; round < 50; ++round) {
    MPI_Request requests[2];
    for (int i = 0; i < 2; ++i) {
      const int to = (rank + 1 + i) % 2;
      MPI_Isend(out, to == rank ? 8 : 16, MPI_BYTE, to, 6, MPI_COMM_WORLD, &requests[i]);
    }
    if (round % 2 == 0) usleep(200);
    for (int i = 0; i < 2; ++i) {
      MPI_Status found, received;
      int count, taken;
      MPI_Probe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &found);
      MPI_Get_count(&found, MPI_BYTE, &count);
      MPI_Recv(in, MOST, MPI_BYTE, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &received);
      MPI_Get_count(&received, MPI_BYTE, &taken);
      CHECK(found.MPI_SOURCE == received.MPI_SOURCE && count == taken);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

static void check_mprobe(void) {
  for (int s = 0; s < SIZES; ++s) {
    if (rank == 1) {
      MPI_Request request;
      fill(out, sizes[s], rank);
      if (s % 2 == 0) {
        MPI_Isend(out, sizes[s], MPI_BYTE, 0, 5, MPI_COMM_WORLD, &request);
      } else {
        MPI_Issend(out, sizes[s], MPI_BYTE, 0, 5, MPI_COMM_WORLD, &request);
      }
      MPI_Send(&s, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 0) {
      MPI_Message message;
      MPI_Status status;
      int count, second = -1;
      MPI_Mprobe(1, 5, MPI_COMM_WORLD, &message, &status);
      MPI_Get_count(&status, MPI_BYTE, &count);
      CHECK(count == sizes[s]);
      /* The message that was matched is no longer there. */
      MPI_Recv(&second, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(second == s);
      MPI_Mrecv(in, MOST, MPI_BYTE, &message, MPI_STATUS_IGNORE);
      CHECK(is_filled(in, sizes[s], 1));
    }
  }
}

static void check_cancel(void) {
  MPI_Request request;
  MPI_Status status;
  int cancelled = 0, number = -1;
  MPI_Irecv(in, 8, MPI_BYTE, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(cancelled);
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  if (strstr(version, "Open MPI") != NULL) { /* It does not cancel sends. */
    MPI_Issend(&rank, 1, MPI_INT, rank, 76, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Recv(&number, 1, MPI_INT, rank, 76, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(!cancelled && number == rank);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  /* The next message with that tag is not lost. */
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  MPI_Sendrecv(&rank, 1, MPI_INT, next, 77, &number, 1, MPI_INT, before, 77, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  CHECK(number == before);
}

static void check_modes(void) {
  const int peer = rank ^ 1;
  const int attached = MOST + 64 * MPI_BSEND_OVERHEAD;
  void* buffer = malloc((size_t)attached);
  if (peer >= ranks || rank > 1) {
    free(buffer);
    return;
  }
  for (int s = 0; s < SIZES; ++s) {
    MPI_Request request;
    fill(out, sizes[s], rank);
    /* A synchronous send is not complete before its receive has begun. */
    if (rank == 0) {
      int flag = 1;
      MPI_Issend(out, sizes[s], MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      CHECK(!flag);
      MPI_Send(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(in, MOST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(is_filled(in, sizes[s], 0));
    }
    /* Ready. */
    MPI_Irecv(in, MOST, MPI_BYTE, peer, 3, MPI_COMM_WORLD, &request);
    MPI_Sendrecv(NULL, 0, MPI_BYTE, peer, 4, NULL, 0, MPI_BYTE, peer, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Rsend(out, sizes[s], MPI_BYTE, peer, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(is_filled(in, sizes[s], peer));
    /* Buffered: both send first. */
    MPI_Buffer_attach(buffer, attached);
    MPI_Bsend(out, sizes[s], MPI_BYTE, peer, 5, MPI_COMM_WORLD);
    memset(out, 0, (size_t)sizes[s]);
    MPI_Recv(in, MOST, MPI_BYTE, peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(is_filled(in, sizes[s], peer));
    void* detached;
    int bytes;
    MPI_Buffer_detach(&detached, &bytes);
  }
  free(buffer);
}

static void check_persistent(void) {
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (int s = 0; s < SIZES; ++s) {
    MPI_Request requests[2];
    MPI_Recv_init(in, MOST, MPI_BYTE, before, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, sizes[s], MPI_BYTE, next, 6, MPI_COMM_WORLD, &requests[1]);
    for (int repeat = 0; repeat < 3; ++repeat) {
      fill(out, sizes[s], rank + repeat);
      MPI_Startall(2, requests);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      CHECK(is_filled(in, sizes[s], before + repeat));
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  }
}

/* Data that are contiguous and begin beside the address of the buffer. */
static void check_lower_bound(void) {
  enum { INTS = 8, AT = 16 };
  const int peer = rank ^ 1;
  int sent[AT + 2 * INTS], received[AT + 2 * INTS];
  if (peer >= ranks) return;
  MPI_Datatype shifted, absolute;
  const int length = INTS, displacement = AT;
  MPI_Type_indexed(1, &length, &displacement, MPI_INT, &shifted);
  MPI_Aint address;
  MPI_Get_address(&sent[AT], &address);
  MPI_Type_create_hindexed(1, &length, &address, MPI_INT, &absolute);
  MPI_Type_commit(&shifted);
  MPI_Type_commit(&absolute);
  for (int way = 0; way < 6; ++way) {
    MPI_Request requests[2];
    for (int i = 0; i < AT + 2 * INTS; ++i) {
      sent[i] = 100 * rank + i;
      received[i] = -1;
    }
    void* const from = way % 2 == 0 ? sent : MPI_BOTTOM;
    const MPI_Datatype type = way % 2 == 0 ? shifted : absolute;
    MPI_Irecv(received, 1, shifted, peer, 9, MPI_COMM_WORLD, &requests[0]);
    if (way < 2) {
      MPI_Isend(from, 1, type, peer, 9, MPI_COMM_WORLD, &requests[1]);
    } else {
      if (way < 4) {
        MPI_Send_init(from, 1, type, peer, 9, MPI_COMM_WORLD, &requests[1]);
      } else {
        MPI_Ssend_init(from, 1, type, peer, 9, MPI_COMM_WORLD, &requests[1]);
      }
      MPI_Start(&requests[1]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (way >= 2) MPI_Request_free(&requests[1]);
    for (int i = 0; i < AT + 2 * INTS; ++i)
      CHECK(received[i] == (i < AT || i >= AT + INTS ? -1 : 100 * peer + i));
  }
  MPI_Type_free(&shifted);
  MPI_Type_free(&absolute);
}

/* Every second byte, to contiguous bytes and back. */
static void check_types(void) {
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (int s = 0; s < SIZES; ++s) {
    const int count = sizes[s] / 2;
    MPI_Datatype strided;
    MPI_Type_vector(count, 1, 2, MPI_BYTE, &strided);
    MPI_Type_commit(&strided);
    fill(out, sizes[s], rank);
    memset(in, 0, (size_t)sizes[s]);
    MPI_Sendrecv(out, 1, strided, next, 7, in, count, MPI_BYTE, before, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    int same = 1;
    for (int i = 0; i < count; ++i) same &= in[i] == expected_byte(sizes[s], 2 * i, before);
    CHECK(same);
    MPI_Sendrecv_replace(in, count, MPI_BYTE, next, 8, before, 8, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Type_free(&strided);
  }
}

static void check_truncation(void) {
  const int lengths[] = {100, 5000, 100000};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < 3; ++i) {
    if (rank == 1) {
      fill(out, lengths[i], rank);
      MPI_Send(out, lengths[i], MPI_BYTE, 0, 9, MPI_COMM_WORLD);
    } else if (rank == 0) {
      int class = MPI_SUCCESS;
      memset(in, 0xab, 200);
      MPI_Error_class(MPI_Recv(in, 50, MPI_BYTE, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &class);
      CHECK(class == MPI_ERR_TRUNCATE);
      CHECK(in[50] == 0xab);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void check_communicators(void) {
  MPI_Comm half, inter, merged, copy;
  int number = -1, sum = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, copy, (rank + 1) % 2, 3, &inter);
  int half_rank, others;
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_remote_size(inter, &others);
  if (half_rank == 0) {
    MPI_Sendrecv(&rank, 1, MPI_INT, 0, 1, &number, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE);
    CHECK(number == (rank ^ 1));
  }
  MPI_Intercomm_merge(inter, rank % 2, &merged);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
  CHECK(sum == ranks * (ranks - 1) / 2 && others > 0);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
  MPI_Comm_free(&copy);
}

static void check_collectives(void) {
  enum { MOST_INTS = 60000 };
  const int lengths[] = {1, 1000, MOST_INTS};
  int* const from = malloc(sizeof(int) * MOST_INTS * (size_t)ranks);
  int* const to = malloc(sizeof(int) * MOST_INTS * (size_t)ranks);
  for (int l = 0; l < 3; ++l) {
    const int n = lengths[l];
    for (int i = 0; i < n * ranks; ++i) from[i] = rank * 1000 + i;
    MPI_Alltoall(from, n, MPI_INT, to, n, MPI_INT, MPI_COMM_WORLD);
    int same = 1;
    for (int r = 0; r < ranks; ++r) {
      for (int i = 0; i < n; ++i) same &= to[r * n + i] == r * 1000 + rank * n + i;
    }
    CHECK(same);
    MPI_Allreduce(from, to, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(to[n - 1] == (ranks - 1) * 1000 + n - 1);
    MPI_Bcast(from, n, MPI_INT, ranks - 1, MPI_COMM_WORLD);
    CHECK(from[0] == (ranks - 1) * 1000);
  }
  free(from);
  free(to);
}

static void check_windows(void) {
  int *memory, value = -1;
  MPI_Win window;
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  memset(memory, 0, 4 * sizeof(int));
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, window);
  MPI_Accumulate(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, window);
  MPI_Win_fence(0, window);
  CHECK(memory[0] == before);
  if (rank == 0) CHECK(memory[1] == ranks * (ranks - 1) / 2);
  MPI_Win_fence(0, window);
  MPI_Get(&value, 1, MPI_INT, next, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK(value == rank);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  const int one = 1;
  int old;
  MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 2, MPI_SUM, window);
  MPI_Win_unlock(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
  MPI_Get(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
  MPI_Win_unlock(0, window);
  CHECK(value == ranks);
  MPI_Win_free(&window);
}

enum { THREADS = 4, ROUNDS = 50 };

static void* exchange(void* argument) {
  const int thread = (int)(size_t)argument, peer = rank ^ 1;
  int wrong = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    const int size = sizes[(round + thread) % 15];
    unsigned char *const mine = malloc((size_t)size + 1), *const theirs = malloc((size_t)size + 1);
    fill(mine, size, rank + thread);
    MPI_Sendrecv(mine, size, MPI_BYTE, peer, 100 + thread, theirs, size, MPI_BYTE, peer,
                 100 + thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wrong += !is_filled(theirs, size, peer + thread);
    free(mine);
    free(theirs);
  }
  return (void*)(size_t)wrong;
}

static void check_threads(void) {
  int level;
  MPI_Query_thread(&level);
  CHECK(level == MPI_THREAD_MULTIPLE);
  if (level < MPI_THREAD_MULTIPLE || (rank ^ 1) >= ranks) return;
  pthread_t threads[THREADS];
  for (size_t t = 0; t < THREADS; ++t) pthread_create(&threads[t], NULL, exchange, (void*)t);
  for (int t = 0; t < THREADS; ++t) {
    void* wrong;
    pthread_join(threads[t], &wrong);
    CHECK(wrong == NULL);
  }
}

static void die(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    usleep(50000); /* the others sleep by then */
    raise(SIGKILL);
  }
  if (rank == 0) MPI_Probe(1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(in, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static const struct {
  const char* name;
  void (*run)(void);
} groups[] = {{"sizes", check_sizes},
              {"self", check_self},
              {"any", check_any},
              {"unexpected", check_unexpected},
              {"asleep", check_asleep},
              {"probe", check_probe},
              {"probe_any", check_probe_any},
              {"mprobe", check_mprobe},
              {"cancel", check_cancel},
              {"modes", check_modes},
              {"persistent", check_persistent},
              {"types", check_types},
              {"lower_bound", check_lower_bound},
              {"truncation", check_truncation},
              {"communicators", check_communicators},
              {"collectives", check_collectives},
              {"windows", check_windows},
              {"threads", check_threads}};

static int is_group(const char* name) {
  for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g) {
    if (strcmp(groups[g].name, name) == 0) return 1;
  }
  return 0;
}

static int is_wanted(const char* name, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], name) == 0) return 1;
  }
  return argc == 1;
}

int main(int argc, char** argv) {
  int level, sum[2], mine[2];
  /* Ranks with several threads do not sleep. */
  MPI_Init_thread(&argc, &argv,
                  is_wanted("threads", argc, argv) ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED,
                  &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) {
    fprintf(stderr, "semantics: run it with 2 or more ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 101);
  }
  out = malloc(MOST);
  in = malloc(MOST);
  if (argc == 2 && strcmp(argv[1], "die") == 0) die();
  if (argc == 2 && strcmp(argv[1], "environment") == 0) {
    for (char** one = environ; rank == 0 && *one != NULL; ++one) puts(*one);
    MPI_Finalize();
    return 0;
  }
  for (int i = 1; i < argc; ++i) {
    if (!is_group(argv[i])) {
      fprintf(stderr, "semantics: %s: no group of checks\n", argv[i]);
      MPI_Abort(MPI_COMM_WORLD, 101);
    }
  }
  for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g) {
    if (is_wanted(groups[g].name, argc, argv)) groups[g].run();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  mine[0] = checks;
  mine[1] = failures;
  MPI_Allreduce(mine, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("passed %d checks\n", sum[0] - sum[1]);
  free(out);
  free(in);
  MPI_Finalize();
  return sum[1] > 100 ? 100 : sum[1];
}
