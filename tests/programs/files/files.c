/* SPDX-License-Identifier: BSD-3-Clause */
/* Known calls for files, in the current folder: files small | shared | mpiio | stdio | metadata |
 * paused | phases | signal | behave. The last prints what libc and the kernel answered, which must
 * not depend on Plait. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank;
static char block[1 << 16];

static void need(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, strerror(errno));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void small(void) {
  char name[64], back[4096];
  snprintf(name, sizeof name, "small-%d.dat", rank);
  int file = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);
  need(file >= 0, "open");
  for (int i = 0; i < 2000; ++i) need(write(file, block, 100) == 100, "write");
  need(fsync(file) == 0, "fsync");
  need(lseek(file, 0, SEEK_SET) == 0, "lseek");
  for (int i = 0; i < 10; ++i) need(pread(file, back, sizeof back, 4096 * i) == 4096, "pread");
  struct iovec parts[2] = {{block, 1000}, {block, 24}};
  need(writev(file, parts, 2) == 1024, "writev");
  int copy = dup(file);
  need(write(copy, block, 1000) == 1000, "write to a copy");
  close(copy);
  close(file);
}

static void shared(void) {
  int file = open("./shared.dat", O_CREAT | O_WRONLY, 0600);
  need(file >= 0, "open");
  for (int i = 0; i < 4; ++i)
    need(pwrite(file, block, sizeof block, (off_t)sizeof block * (4 * rank + i)) ==
             (ssize_t)sizeof block,
         "pwrite");
  close(file);
}

static void mpiio(void) {
  MPI_File file;
  MPI_Status status;
  need(!MPI_File_open(MPI_COMM_WORLD, "mpiio.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      &file),
       "MPI_File_open");
  for (int i = 0; i < 3; ++i)
    MPI_File_write_at_all(file, (MPI_Offset)sizeof block * (3 * rank + i), block, sizeof block,
                          MPI_BYTE, &status);
  MPI_File_sync(file);
  MPI_File_read_at(file, 0, block, 1000, MPI_BYTE, &status);
  MPI_File_close(&file);
}

static void streams(void) {
  char name[64], line[64];
  snprintf(name, sizeof name, "stream-%d.txt", rank);
  FILE* stream = fopen(name, "w");
  need(stream != NULL, "fopen");
  for (int i = 0; i < 1000; ++i) need(fwrite(block, 10, 2, stream) == 2, "fwrite");
  need(fprintf(stream, "\n%s\n", "twelve bytes") == 14, "fprintf");
  fflush(stream);
  fclose(stream);
  stream = fopen(name, "r");
  need(stream != NULL, "fopen");
  need(fread(block, 1, 20000, stream) == 20000, "fread");
  need(fgets(line, sizeof line, stream) != NULL, "fgets");
  fclose(stream);
  memset(block, 0, sizeof block);
}

static void metadata(void) {
  struct stat status;
  for (int i = 0; i < 3000; ++i) need(stat(".", &status) == 0, "stat");
  for (int i = 0; i < 1000; ++i) {
    int file = open("metadata.dat", O_CREAT | O_WRONLY, 0600);
    need(file >= 0, "open");
    close(file);
  }
}

/* While recording is paused, a descriptor gets another file. */
static void paused(void) {
  int first = open("before.dat", O_CREAT | O_WRONLY, 0600);
  need(write(first, block, 100) == 100, "write");
  MPI_Pcontrol(0);
  need(write(first, block, 1000) == 1000, "write");
  close(first);
  int second = open("within.dat", O_CREAT | O_WRONLY, 0600);
  need(second == first, "the same descriptor");
  MPI_Pcontrol(1);
  need(write(second, block, 10) == 10, "write");
  close(second);
}

static void phases(void) {
  const struct timespec gap = {0, 300000000};  // longer than samples of memory are apart
  char name[64];
  snprintf(name, sizeof name, "phases-%d.dat", rank);
  int file = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);
  need(write(file, block, 65536) == 65536, "write");
  nanosleep(&gap, NULL);
  need(write(file, block, 32768) == 32768, "write");
  nanosleep(&gap, NULL);
  need(pread(file, block, 1000, 0) == 1000, "pread");
  close(file);
}

static void on_tick(int signal) {
  int error = errno;
  int file = open("signal.dat", O_CREAT | O_WRONLY | O_APPEND, 0600);
  if (file >= 0 && write(file, &signal, 1) != 1) abort();
  close(file);
  errno = error;
}

/* A handler that opens files, as often as it can, while the program does. */
static void signals(void) {
  char name[64];
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 100}, {0, 100}};
  setitimer(ITIMER_REAL, &often, NULL);
  for (int i = 0; i < 3000; ++i) {
    snprintf(name, sizeof name, "many-%d-%d.dat", rank, i);
    int file = open(name, O_CREAT | O_WRONLY, 0600);
    need(file >= 0, "open");
    need(write(file, block, 10) == 10, "write");
    close(file);
    unlink(name);
  }
  memset(&often, 0, sizeof often);
  setitimer(ITIMER_REAL, &often, NULL);
}

static void on_alarm(int signal) {
  (void)signal;
}

static void* blocked(void* data) {
  char byte;
  return (void*)read(*(int*)data, &byte, 1);
}

static volatile int is_cancelled;

/* None of these calls is a cancellation point: the thread returns what it was given. */
static void* cancelled_before(void* data) {
  int size;
  while (!is_cancelled) continue;
  for (int i = 0; i < 2000; ++i) MPI_Comm_size(MPI_COMM_WORLD, &size);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  return data;
}

static void behave(void) {
  char text[16] = "", name[64];
  int pipes[2];
  errno = 0;
  int missing = open("no/such/file", O_RDONLY);
  printf("rank %d: open of a missing file %d %d\n", rank, missing, errno == ENOENT);
  errno = 0;
  ssize_t none = read(-1, text, 1);
  printf("rank %d: read of no file %zd %d\n", rank, none, errno == EBADF);
  errno = 0;
  printf("rank %d: close of no file %d %d\n", rank, close(-1), errno == EBADF);
  errno = EDOM;
  need(pipe(pipes) == 0, "pipe");
  need(write(pipes[1], "abc", 3) == 3, "write");
  printf("rank %d: errno after success %d\n", rank, errno == EDOM);
  need(read(pipes[0], text, 3) == 3, "read");
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_alarm; /* without SA_RESTART */
  sigaction(SIGALRM, &action, NULL);
  /* Again and again: on a busy machine the first one may come before the read. */
  const struct itimerval often = {{0, 200000}, {0, 500000}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, NULL);
  errno = 0;
  none = read(pipes[0], text, 1);
  const int interrupted = errno == EINTR;
  setitimer(ITIMER_REAL, &never, NULL);
  printf("rank %d: interrupted read %zd %d\n", rank, none, interrupted);
  pthread_t thread;
  void* result = NULL;
  pthread_create(&thread, NULL, blocked, &pipes[0]);
  usleep(50000);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  printf("rank %d: cancelled read %d\n", rank, result == PTHREAD_CANCELED);
  pthread_create(&thread, NULL, cancelled_before, text);
  pthread_cancel(thread);
  is_cancelled = 1;
  pthread_join(thread, &result);
  printf("rank %d: cancelled before MPI %d\n", rank, result == text);
  pthread_create(&thread, NULL, blocked, &pipes[0]);
  pthread_cancel(thread); /* perhaps before it begins */
  pthread_join(thread, &result);
  printf("rank %d: cancelled at once %d\n", rank, result == PTHREAD_CANCELED);
  snprintf(name, sizeof name, "behave-%d.dat", rank);
  int file = open(name, O_CREAT | O_TRUNC | O_RDWR, 0600);
  need(file >= 0, "open");
  pid_t child = vfork();
  if (child == 0) { /* its descriptors are its own, its memory is not */
    close(file);
    execl("/bin/true", "true", (char*)NULL);
    _exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("rank %d: child by vfork %d\n", rank, status);
  fflush(stdout);
  child = fork();
  if (child == 0) {
    ssize_t written = write(file, block, 5000);
    _exit(written == 5000 ? 0 : 9);
  }
  waitpid(child, &status, 0);
  printf("rank %d: child by fork %d\n", rank, status);
  need(write(file, block, 500) == 500, "write after the children");
  printf("rank %d: size %ld\n", rank, (long)lseek(file, 0, SEEK_END));
  close(file);
  /* The number may now be another's. */
  int again = dup(pipes[1]);
  need(write(again, "abcd", 4) == 4, "write to a pipe");
  close(again);
  close(pipes[0]);
  close(pipes[1]);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "small";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!strcmp(what, "small")) small();
  if (!strcmp(what, "shared")) shared();
  if (!strcmp(what, "mpiio")) mpiio();
  if (!strcmp(what, "phases")) phases();
  if (!strcmp(what, "stdio")) streams();
  if (!strcmp(what, "metadata")) metadata();
  if (!strcmp(what, "paused")) paused();
  if (!strcmp(what, "signal")) signals();
  if (!strcmp(what, "behave")) behave();
  MPI_Finalize();
  return 0;
}
