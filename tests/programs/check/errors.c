/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that live with errors of MPI, and use of MPI that leaves a checker in doubt: correct
 * ones, chosen by the argument. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static MPI_Comm world;

static int refuse_copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  *flag = 0;
  return MPI_ERR_OTHER;
}

static int deletions_refused;
static int refuse_deletion(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  return deletions_refused++ < 1 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/* What an attribute makes fail can be done again without it. */
static void duplication_fails(void) {
  int key, value = 1, sum = 0;
  MPI_Comm copy, again;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_dup(world, &copy);
  MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(copy, key, NULL);
  memset(&again, 0x55, sizeof again);
  if (MPI_Comm_dup(copy, &again) == MPI_SUCCESS) abort();
  if (MPI_Comm_idup(copy, &again, &request) == MPI_SUCCESS) abort();
  MPI_Comm_delete_attr(copy, key);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_dup(copy, &again);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, again);
  MPI_Comm_free(&again);
  MPI_Comm_free(&copy);
}

/* MPICH runs out of communicators; MPI_Comm_idup then fails when its request ends. */
static void identifiers_run_out(void) {
#ifdef MPICH_VERSION
  enum { most = 5000 };
  static MPI_Comm made[most];
  int count = 0, failed = 0;
  while (count < most && !failed) {
    MPI_Request request;
    MPI_Comm copy;
    memset(&copy, 0x55, sizeof copy);
    failed = MPI_Comm_idup(world, &copy, &request) != MPI_SUCCESS ||
             MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS;
    if (!failed) made[count++] = copy;
  }
  if (!failed) abort();
  while (count > 0) MPI_Comm_free(&made[--count]);
#endif
  MPI_Barrier(world);
}

/* A handle that could not be freed is used further, on one rank only. */
static void freeing_fails(void) {
  int key, value = 1, sum = 0;
  MPI_Comm copy, kept;
  if (rank == 0) {
    copy = MPI_COMM_WORLD;
    if (MPI_Comm_free(&copy) == MPI_SUCCESS) abort();
  }
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, world);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse_deletion, &key, NULL);
  MPI_Comm_dup(world, &copy);
  MPI_Comm_set_attr(copy, key, NULL);
  kept = copy;
  if (MPI_Comm_free(&copy) != MPI_SUCCESS) {
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, kept);
    MPI_Comm_free(&kept);
  }
  MPI_Comm_free_keyval(&key);
}

/* Rank 0 corrects its arguments and calls again. */
static void refused_arguments(void) {
  int value = 1, sum = 0;
  const int too_many = size + 5;
  MPI_Comm line;
  MPI_Message message;
  MPI_Status status;
  if (rank == 0 && MPI_Bcast(&value, -1, MPI_INT, 0, world) == MPI_SUCCESS) abort();
  MPI_Bcast(&value, 1, MPI_INT, 0, world);
  if (rank == 0 && MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, size, world) == MPI_SUCCESS)
    abort();
  MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, world);
  if (rank == 0 && MPI_Cart_create(world, 1, &too_many, &value, 0, &line) == MPI_SUCCESS) abort();
  MPI_Cart_create(world, 1, &size, &value, 0, &line);
  MPI_Comm_free(&line);
  if (rank == 0 && MPI_Send(&value, 1, MPI_INT, size, 3, world) == MPI_SUCCESS) abort();
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 3, world);
  if (rank != 1) return;
  MPI_Mprobe(0, 3, world, &message, &status);
  if (MPI_Mrecv(&value, -1, MPI_INT, &message, &status) == MPI_SUCCESS) abort();
  MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
}

/* Receives that may or may not have been cancelled, and were then freed. */
static void cancelled_and_freed(void) {
  static float lost[4];
  double value = 1;
  MPI_Request request;
  if (rank == 1) {
    MPI_Irecv(lost, 4, MPI_FLOAT, 0, 4, world, &request);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    MPI_Irecv(lost, 4, MPI_BYTE, MPI_ANY_SOURCE, 5, world, &request);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
  MPI_Barrier(world);
  if (rank == 0) MPI_Send(&value, 1, MPI_DOUBLE, 1, 4, world);
  if (rank == 1) MPI_Recv(&value, 1, MPI_DOUBLE, 0, 4, world, MPI_STATUS_IGNORE);
}

/* Open MPI replaces the handle of a persistent request that is started again before all of its
 * last message has left. */
static void persistent_buffered(void) {
  enum { count = 50000, times = 5 };
  static double out[count], in[count];
  static char buffer[2 * times * (count * sizeof(double) + MPI_BSEND_OVERHEAD)];
  void* detached;
  int bytes;
  MPI_Request requests[2];
  MPI_Buffer_attach(buffer, sizeof buffer);
  if (rank == 0) {
    MPI_Bsend_init(out, count, MPI_DOUBLE, 1, 6, world, &requests[0]);
    MPI_Bsend_init(out, 10, MPI_DOUBLE, 1, 7, world, &requests[1]);
    for (int i = 0; i < times; ++i) {
      if (i % 2)
        MPI_Startall(2, requests);
      else
        for (int k = 0; k < 2; ++k) MPI_Start(&requests[k]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  }
  MPI_Barrier(world);
  for (int i = 0; rank == 1 && i < times; ++i) {
    MPI_Recv(in, count, MPI_DOUBLE, 0, 6, world, MPI_STATUS_IGNORE);
    MPI_Recv(in, 10, MPI_DOUBLE, 0, 7, world, MPI_STATUS_IGNORE);
  }
  MPI_Buffer_detach(&detached, &bytes);
}

/* Requests that the program moves, and waits for in another order; many have the same handle. */
static void moved_requests(void) {
  enum { count = 20000 };
  static MPI_Request begun[count], moved[count];
  static int out[count], in[count];
  for (int i = 0; rank == 1 && i < count; ++i)
    MPI_Irecv(&in[i], 1, MPI_INT, 0, i % 7, world, &begun[i]);
  MPI_Barrier(world);
  for (int i = 0; rank == 0 && i < count; ++i)
    MPI_Isend(&out[i], 1, MPI_INT, 1, i % 7, world, &begun[i]);
  for (int i = 0; i < count; ++i) moved[i] = begun[count - 1 - i];
  if (rank < 2) MPI_Waitall(count, moved, MPI_STATUSES_IGNORE);
}

/* Some libraries do not reveal the source of what MPI_Isendrecv got. */
static void exchange_with_any(void) {
#if MPI_VERSION >= 4
  for (int i = 0; i < 4; ++i) {
    int out = rank, in = -1;
    MPI_Request request;
    MPI_Isendrecv(&out, 1, MPI_INT, (rank + 1) % size, i, &in, 1, MPI_INT, MPI_ANY_SOURCE,
                  i % 2 ? i : MPI_ANY_TAG, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
  }
#endif
  MPI_Barrier(world);
}

/* Rank 0 and its like are nowhere: all partners are MPI_PROC_NULL, all messages empty. */
static void nobody_and_nothing(void) {
  int value = 0;
  MPI_Request requests[4];
  MPI_Message message;
  MPI_Status status;
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, world);
  MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, &value, 1, MPI_INT, MPI_PROC_NULL, 1, world,
               MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_PROC_NULL, 1, world, &message, &status);
  MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
  MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, world, &requests[0]);
  MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 1, world, &requests[1]);
  MPI_Start(&requests[1]);
  MPI_Irecv(NULL, 0, MPI_DOUBLE, (rank + 1) % size, 2, world, &requests[2]);
  MPI_Isend(NULL, 0, MPI_INT, (rank + size - 1) % size, 2, world, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[1]);
  MPI_Bcast(NULL, 0, rank ? MPI_INT : MPI_DOUBLE, 0, world);
}

static int query(void* none, MPI_Status* status) {
  (void)none;
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int release(void* none) {
  (void)none;
  return MPI_SUCCESS;
}
static int cancel(void* none, int complete) {
  (void)none, (void)complete;
  return MPI_SUCCESS;
}

static void generalized(void) {
  MPI_Request request;
  MPI_Grequest_start(query, release, cancel, NULL, &request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(world);
}

/* The types of a view are copies, which the program need not free when they are predefined. */
static void file_view(void) {
  MPI_File file;
  MPI_Offset offset;
  MPI_Datatype element, view;
  char representation[MPI_MAX_DATAREP_STRING];
  char name[64];
  sprintf(name, "view-%d", rank);
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_get_view(file, &offset, &element, &view, representation);
  MPI_File_close(&file);
  MPI_Barrier(world);
}

/* Under Open MPI, the test's environment leaves no component that can make such a window. */
static void windows_unavailable(void) {
  int value = 0;
  MPI_Win window = MPI_WIN_NULL;
  if (MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, world, &window) == MPI_SUCCESS)
    MPI_Win_free(&window);
  MPI_Barrier(world);
}

static void forgive_comm(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  *code = MPI_SUCCESS;
}
static void forgive_file(MPI_File* file, int* code, ...) {
  (void)file;
  *code = MPI_SUCCESS;
}

/* Failures that are successes for the program, where the library lets error handlers say so. */
static void forgiving_handlers(void) {
  int value = 0;
  MPI_Errhandler forgiving;
  MPI_File file = MPI_FILE_NULL;
  MPI_Request request = MPI_REQUEST_NULL, persistent = MPI_REQUEST_NULL;
  MPI_File_create_errhandler(forgive_file, &forgiving);
  MPI_File_set_errhandler(MPI_FILE_NULL, forgiving);
  MPI_File_open(MPI_COMM_SELF, "missing", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_Errhandler_free(&forgiving);
  MPI_Comm_create_errhandler(forgive_comm, &forgiving);
  MPI_Comm_set_errhandler(world, forgiving);
  MPI_Irecv(&value, -1, MPI_INT, 0, 8, world, &request);
  MPI_Recv_init(&value, -1, MPI_INT, 0, 8, world, &persistent);
  MPI_Errhandler_free(&forgiving);
  MPI_Barrier(world);
}

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {{"duplication_fails", duplication_fails},
             {"identifiers_run_out", identifiers_run_out},
             {"freeing_fails", freeing_fails},
             {"refused_arguments", refused_arguments},
             {"cancelled_and_freed", cancelled_and_freed},
             {"persistent_buffered", persistent_buffered},
             {"moved_requests", moved_requests},
             {"exchange_with_any", exchange_with_any},
             {"nobody_and_nothing", nobody_and_nothing},
             {"generalized", generalized},
             {"forgiving_handlers", forgiving_handlers},
             {"file_view", file_view},
             {"windows_unavailable", windows_unavailable}};

int main(int argc, char** argv) {
  int found = 0;
  MPI_Init(&argc, &argv);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) {
      cases[i].run();
      found = 1;
    }
  MPI_Finalize();
  return found ? 0 : 2;
}
