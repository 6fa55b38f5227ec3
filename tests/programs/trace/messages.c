/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of every kind on four ranks, each of which contains its sender.
 *
 * A payload is its sender and the ordinal of the send among all sends of that rank. A finished
 * receive adds `RECEIVER its-ordinal SENDER its-ordinal` to the file FOLDER/RANK. Starts of
 * persistent requests and messages to MPI_PROC_NULL count like others.
 *
 *   messages FOLDER [multiple] */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define RANKS 4
typedef struct {
  int sender, ordinal;
} Payload;

static FILE* pairs;
static int rank, sends, receives;
static Payload nothing = {-1, -1};

static Payload next_send(void) {
  Payload made = {rank, sends++};
  return made;
}

static void say(int ordinal, Payload got) {
  if (got.sender >= 0) fprintf(pairs, "%d %d %d %d\n", rank, ordinal, got.sender, got.ordinal);
}

static void say_count(int first, int count, const Payload* got) {
  for (int i = 0; i < count; ++i) say(first + i, got[i]);
}

/* All send to rank 0, which receives from any source. */
static void blocking_modes(MPI_Comm comm) {
  if (rank > 0) {
    char room[256 + MPI_BSEND_OVERHEAD];
    Payload out = next_send();
    MPI_Send(&out, 2, MPI_INT, 0, 10 + rank, comm);
    out = next_send();
    MPI_Ssend(&out, 2, MPI_INT, 0, 20 + rank, comm);
    void* attached = room;
    int size;
    MPI_Buffer_attach(room, sizeof room);
    out = next_send();
    MPI_Bsend(&out, 2, MPI_INT, 0, 30 + rank, comm);
    MPI_Buffer_detach(&attached, &size);
    return;
  }
  for (int i = 0; i < 3 * (RANKS - 1); ++i) {
    Payload in;
    if (i % 2) {
      MPI_Recv(&in, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Status status;
      MPI_Recv(&in, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    }
    say(receives++, in);
  }
}

/* Each rank sends two messages to every other; `form` says how receives are completed. */
static void requests(int form) {
  enum { kCount = 2 * (RANKS - 1) };
  MPI_Request in[kCount], out[kCount];
  Payload from[kCount], to[kCount];
  int indices[kCount], done = 0, index, flag, first = receives;
  for (int i = 0; i < kCount; ++i)
    MPI_Irecv(&from[i], 2, MPI_INT, form % 2 ? MPI_ANY_SOURCE : (rank + 1 + i / 2) % RANKS, form,
              MPI_COMM_WORLD, &in[i]);
  receives += kCount;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kCount; ++i) {
    const int peer = (rank + 1 + i / 2) % RANKS;
    to[i] = next_send();
    if (i % 3 == 0) MPI_Isend(&to[i], 2, MPI_INT, peer, form, MPI_COMM_WORLD, &out[i]);
    if (i % 3 == 1) MPI_Issend(&to[i], 2, MPI_INT, peer, form, MPI_COMM_WORLD, &out[i]);
    if (i % 3 == 2) MPI_Irsend(&to[i], 2, MPI_INT, peer, form, MPI_COMM_WORLD, &out[i]);
  }
  switch (form) {
    case 0:
    case 1:
      MPI_Waitall(kCount, in, MPI_STATUSES_IGNORE);
      break;
    case 2:
    case 3:
      for (int i = 0; i < kCount; ++i) MPI_Waitany(kCount, in, &index, MPI_STATUS_IGNORE);
      break;
    case 4:
    case 5:
      for (int all = 0; all < kCount; all += done)
        MPI_Waitsome(kCount, in, &done, indices, MPI_STATUSES_IGNORE);
      break;
    case 6:
    case 7:
      do MPI_Testall(kCount, in, &flag, MPI_STATUSES_IGNORE);
      while (!flag);
      break;
    case 8:
    case 9:
      for (int all = 0; all < kCount; all += flag)
        MPI_Testany(kCount, in, &index, &flag, MPI_STATUS_IGNORE);
      break;
    case 10:
    case 11:
      for (int all = 0; all<kCount; all += done> 0 ? done : 0)
        MPI_Testsome(kCount, in, &done, indices, MPI_STATUSES_IGNORE);
      break;
    default:
      for (int i = kCount; i-- > 0;) {
        if (i % 2) {
          MPI_Wait(&in[i], MPI_STATUS_IGNORE);
        } else {
          do MPI_Test(&in[i], &flag, MPI_STATUS_IGNORE);
          while (!flag);
        }
      }
  }
  MPI_Waitall(kCount, out, MPI_STATUSES_IGNORE);
  say_count(first, kCount, from);
}

static void both_ways(void) {
  const int right = (rank + 1) % RANKS, left = (rank + RANKS - 1) % RANKS;
  Payload in, out = next_send();
  MPI_Sendrecv(&out, 2, MPI_INT, right, 40, &in, 2, MPI_INT, MPI_ANY_SOURCE, 40, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  say(receives++, in);
  out = next_send();
  MPI_Sendrecv_replace(&out, 2, MPI_INT, left, 41, right, MPI_ANY_TAG, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  say(receives++, out);
  /* The ends of a chain. */
  out = next_send();
  in = nothing;
  MPI_Sendrecv(&out, 2, MPI_INT, rank + 1 < RANKS ? rank + 1 : MPI_PROC_NULL, 42, &in, 2, MPI_INT,
               rank > 0 ? rank - 1 : MPI_PROC_NULL, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say(receives++, in);
}

static void persistent(void) {
  const int right = (rank + 1) % RANKS;
  Payload in, out;
  MPI_Request both[2];
  MPI_Recv_init(&in, 2, MPI_INT, MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &both[0]);
  MPI_Send_init(&out, 2, MPI_INT, right, 50, MPI_COMM_WORLD, &both[1]);
  for (int i = 0; i < 3; ++i) {
    out = next_send();
    if (i == 1) {
      MPI_Start(&both[1]);
      MPI_Start(&both[0]);
    } else {
      MPI_Startall(2, both);
    }
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    say(receives++, in);
  }
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE); /* inactive: nothing ends */
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
}

static void matched_probes(void) {
  if (rank == 1 || rank == 2) {
    for (int i = 0; i < 2; ++i) {
      Payload out = next_send();
      MPI_Send(&out, 2, MPI_INT, 0, 60 + i, MPI_COMM_WORLD);
    }
  }
  for (int i = 0; rank == 0 && i < 4; ++i) {
    Payload in;
    MPI_Message message;
    MPI_Request request;
    int flag = 0;
    if (i % 2) {
      MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(&in, 2, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else {
      while (!flag)
        MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message,
                    MPI_STATUS_IGNORE);
      MPI_Imrecv(&in, 2, MPI_INT, &message, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    say(receives++, in);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 3) {
    Payload out = next_send();
    MPI_Send(&out, 2, MPI_INT, 0, 70, MPI_COMM_WORLD);
  } else if (rank == 0) {
    Payload in;
    int flag = 0;
    MPI_Status status;
    MPI_Probe(3, 70, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (!flag) MPI_Iprobe(MPI_ANY_SOURCE, 70, MPI_COMM_WORLD, &flag, &status);
    MPI_Recv(&in, 2, MPI_INT, status.MPI_SOURCE, 70, MPI_COMM_WORLD, &status);
    say(receives++, in);
  }
}

/* Other communicators: ranks in reverse order, and the other half as an intercommunicator. */
static void communicators(void) {
  MPI_Comm reversed, half, other;
  MPI_Comm_split(MPI_COMM_WORLD, 0, RANKS - rank, &reversed);
  int mine;
  MPI_Comm_rank(reversed, &mine);
  Payload in, out = next_send();
  MPI_Request request;
  MPI_Irecv(&in, 2, MPI_INT, MPI_ANY_SOURCE, 80, reversed, &request);
  MPI_Send(&out, 2, MPI_INT, (mine + 1) % RANKS, 80, reversed);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say(receives++, in);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 81, &other);
  MPI_Comm_rank(half, &mine);
  out = next_send();
  MPI_Sendrecv(&out, 2, MPI_INT, 1 - mine, 82, &in, 2, MPI_INT, MPI_ANY_SOURCE, 82, other,
               MPI_STATUS_IGNORE);
  say(receives++, in);
  MPI_Comm_free(&other);
  MPI_Comm_free(&half);
  MPI_Comm_free(&reversed);
}

/* A send whose request is freed, a cancelled receive, messages to and from MPI_PROC_NULL. */
static void loose_ends(void) {
  MPI_Request request;
  MPI_Status status;
  Payload in, out = next_send();
  MPI_Isend(&out, 2, MPI_INT, (rank + 1) % RANKS, 90, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  MPI_Recv(&in, 2, MPI_INT, MPI_ANY_SOURCE, 90, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say(receives++, in);
  MPI_Irecv(&in, 2, MPI_INT, rank, 91, MPI_COMM_WORLD, &request);
  ++receives;
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  out = next_send();
  MPI_Send(&out, 2, MPI_INT, MPI_PROC_NULL, 92, MPI_COMM_WORLD);
  out = next_send();
  MPI_Isend(&out, 2, MPI_INT, MPI_PROC_NULL, 92, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Recv(&in, 2, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ++receives;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void collectives(void) {
  int one = rank, all[RANKS], sum, flag = 0;
  MPI_Request request;
  MPI_Bcast(&one, 1, MPI_INT, 2, MPI_COMM_WORLD);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

/* Additions of MPI 4: large counts, Isendrecv. */
static void newer_functions(void) {
#if MPI_VERSION >= 4 && !defined(OPEN_MPI)
  const int right = (rank + 1) % RANKS, left = (rank + RANKS - 1) % RANKS;
  Payload in, out = next_send();
  MPI_Request request;
  MPI_Isendrecv(&out, 2, MPI_INT, right, 95, &in, 2, MPI_INT, left, 95, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say(receives++, in);
  out = next_send();
  MPI_Irecv_c(&in, 2, MPI_INT, left, 96, MPI_COMM_WORLD, &request);
  MPI_Send_c(&out, 2, MPI_INT, right, 96, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say(receives++, in);
#endif
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, argc > 2 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char path[4096];
  snprintf(path, sizeof path, "%s/%d", argv[1], rank);
  pairs = fopen(path, "w");
  if (!pairs) MPI_Abort(MPI_COMM_WORLD, 1);
  blocking_modes(MPI_COMM_WORLD);
  for (int form = 0; form < 14; ++form) requests(form);
  both_ways();
  persistent();
  matched_probes();
  communicators();
  loose_ends();
  collectives();
  newer_functions();
  fclose(pairs);
  MPI_Finalize();
  return 0;
}
