/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends, forks, jumps and calls MPI in unusual ways; argv[1] says which (check_processes.py). */
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank;
static double value;
static jmp_buf before_error;

static void send_to_nobody(int times) {
  for (int i = 0; i < times; ++i) MPI_Send(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void jump_out(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  longjmp(before_error, 1);
}

static void* one_call(void* unused) {
  send_to_nobody(1);
  return unused;
}

/* Each depth of the stack is another call site. */
static void deep(int depth) {
  volatile char room[64];
  room[0] = (char)depth;
  send_to_nobody(1);
  if (depth > 0) deep(depth - 1);
  room[1] = room[0];
}

/* 256 call sites in turn: more than a hash of their addresses distinguishes. */
#define TIMES_4(what) what what what what
static void many_places(void) {
  TIMES_4(
      TIMES_4(TIMES_4(TIMES_4(MPI_Send(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);))))
}

/* More kinds of calls within a region than fit into a thread's first tables. */
static void fill_tables(void) {
  static MPI_Comm copies[600];
  static char bytes[32];
  MPI_Pcontrol(1, "kinds");
  for (int i = 0; i < 600; ++i) {
    MPI_Comm_dup(MPI_COMM_SELF, &copies[i]);
    for (int size = 1; size <= 16; size *= 2)
      MPI_Send(bytes, size, MPI_BYTE, MPI_PROC_NULL, 0, copies[i]);
    MPI_Bcast(bytes, 1, MPI_BYTE, 0, copies[i]);
  }
  for (int i = 0; i < 600; ++i) MPI_Comm_free(&copies[i]);
  MPI_Pcontrol(-1, "kinds");
}

/* More regions and names of communicators than any table has room for at first. */
static void many_names(void) {
  char name[64];
  for (int i = 0; i < 10000; ++i) {
    snprintf(name, sizeof name, "region %d", i);
    MPI_Pcontrol(1, name);
    MPI_Pcontrol(-1, name);
    MPI_Comm_set_name(MPI_COMM_SELF, name);
  }
}

/* Arguments that a call ignores may be of any value. */
static void ignore_arguments(void) {
  double target = 1, result = 0;
  MPI_Win window;
  MPI_Win_create(&target, sizeof target, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Get_accumulate(NULL, 1, MPI_DATATYPE_NULL, &result, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE,
                     MPI_NO_OP, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static void act(const char* what) {
  send_to_nobody(100);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(what, "kill") && rank == 1) {
    kill(getpid(), SIGKILL);
  } else if (!strcmp(what, "abort") && rank == 1) {
    MPI_Abort(MPI_COMM_WORLD, 5);
  } else if (!strcmp(what, "exit") && rank == 1) {
    _exit(3);
  } else if (!strcmp(what, "fork")) {
    const pid_t child = fork();
    int status;
    if (child == 0) {
      send_to_nobody(0);
      _exit(system("true") == 0 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    send_to_nobody(50);
  } else if (!strcmp(what, "longjmp")) {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(jump_out, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (setjmp(before_error) == 0) MPI_Send(&value, 1, MPI_DOUBLE, 1000, 0, MPI_COMM_WORLD);
    send_to_nobody(50);
  } else if (!strcmp(what, "threads")) {
    for (int i = 0; i < 300; ++i) {
      pthread_t thread;
      pthread_create(&thread, NULL, one_call, NULL);
      pthread_join(thread, NULL);
    }
  } else if (!strcmp(what, "names")) {
    many_names();
  } else if (!strcmp(what, "deep")) {
    deep(50000);
  } else if (!strcmp(what, "ignored")) {
    ignore_arguments();
  } else if (!strcmp(what, "tables")) {
    fill_tables();
  } else if (!strcmp(what, "sites")) {
    for (int i = 0; i < 3000; ++i) many_places();
  } else if (!strcmp(what, "comms")) {
    for (int i = 0; i < 20000; ++i) {
      MPI_Comm copy;
      MPI_Comm_split(MPI_COMM_SELF, 0, 0, &copy);
      MPI_Send(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, copy);
      MPI_Comm_free(&copy);
    }
  }
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int provided;
  struct rlimit files;
  getrlimit(RLIMIT_FSIZE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_FSIZE, &files);
  if (!strcmp(what, "exec") && argc < 3) {
    execl(argv[0], argv[0], "exec", "again", (char*)NULL);
    return 9;
  }
  if (!strcmp(what, "no_mpi")) {
    puts("no MPI was called");
    return 0;
  }
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  act(what);
  /* The killed, the aborted and the one that leaves are waited for, so that all had their calls. */
  if (!strcmp(what, "kill") || !strcmp(what, "abort") || !strcmp(what, "exit")) sleep(20);
  MPI_Finalize();
  if (rank == 0) printf("%s: done\n", what);
  return 0;
}
