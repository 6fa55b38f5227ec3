// SPDX-License-Identifier: BSD-3-Clause
// Programs that samples might disturb; each prints what it saw: behave CASE...; one process runs
// the cases in turn. Those that keep signals from Plait come last.
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;
static volatile sig_atomic_t handled;
static sigjmp_buf jump;

static void count(int number) {
  (void)number;
  ++handled;
}

static void burn(double cpu_s) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  const double until = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec + cpu_s;
  do {
    for (int i = 0; i < 20000; ++i) sink = sink * 1.0000001 + 1e-9;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec < until);
}

static void* short_thread(void* data) {
  for (int i = 0; i < 2000; ++i) sink = sink + 1;
  return data;
}

static void threads(void) {
  long ended = 0;
  for (int i = 0; i < 2500; ++i) {
    pthread_t of[4];
    for (long k = 0; k < 4; ++k) pthread_create(&of[k], NULL, short_thread, (void*)1);
    for (int k = 0; k < 4; ++k) {
      void* result = NULL;
      pthread_join(of[k], &result);
      ended += (long)result;
    }
  }
  printf("threads %ld\n", ended);
}

__attribute__((noinline)) static long recurse(long depth) {
  volatile long local = depth;
  if (depth == 0) {
    burn(0.15);
    return 0;
  }
  return recurse(depth - 1) + (local == depth);
}

static void recursion(void) {
  printf("recursion %ld\n", recurse(60000));
}

static void* on_small_stack(void* data) {
  char buffer[20 << 10];
  memset(buffer, 1, sizeof buffer);
  burn(0.015);
  long sum = 0;
  for (size_t i = 0; i < sizeof buffer; ++i) sum += buffer[i];
  *(long*)data = sum;
  return NULL;
}

static void small_stacks(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  printf("stack %d\n", pthread_attr_setstacksize(&attributes, 32 << 10));
  for (int i = 0; i < 8; ++i) {
    pthread_t thread;
    long sum = 0;
    if (pthread_create(&thread, &attributes, on_small_stack, &sum)) continue;
    pthread_join(thread, NULL);
    printf("sum %ld\n", sum);
  }
}

static volatile int storm_ends;

static void* send_signals(void* data) {
  const pthread_t to = *(pthread_t*)data;
  while (!storm_ends) pthread_kill(to, SIGUSR1);
  return NULL;
}

static void storm(void) {
  struct sigaction action = {.sa_handler = count};
  sigaction(SIGUSR1, &action, NULL);
  pthread_t self = pthread_self(), sender;
  pthread_create(&sender, NULL, send_signals, &self);
  while (handled < 400) burn(0.005);
  storm_ends = 1;
  pthread_join(sender, NULL);
  printf("storm %d\n", handled >= 400);
}

static void leave(int number) {
  (void)number;
  siglongjmp(jump, 1);
}

static void jumps(void) {
  struct sigaction action = {.sa_handler = leave};
  sigaction(SIGVTALRM, &action, NULL);
  volatile int left = 0;
  for (int i = 0; i < 20; ++i) {
    if (sigsetjmp(jump, 1)) {
      ++left;
      continue;
    }
    const struct itimerval soon = {.it_value = {0, 5000}};
    setitimer(ITIMER_VIRTUAL, &soon, NULL);
    for (;;) burn(0.001);
  }
  printf("jumps %d\n", left);
}

static void forks(void) {
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      burn(0.03);
      pthread_t thread;
      pthread_create(&thread, NULL, short_thread, NULL);
      pthread_join(thread, NULL);
      _exit(i);
    }
    int status = 0;
    burn(0.02);
    while (waitpid(child, &status, 0) < 0) printf("waitpid %d\n", errno);
    printf("child %d %d\n", WIFEXITED(status), WEXITSTATUS(status));
  }
  printf("system %d\n", system("exit 7") >> 8);
}

static void profiler(void) {
  struct sigaction action = {.sa_handler = count, .sa_flags = SA_RESTART}, old;
  sigaction(SIGPROF, &action, &old);
  printf("default %d\n", old.sa_handler == SIG_DFL);
  const struct itimerval often = {{0, 5000}, {0, 5000}};
  setitimer(ITIMER_PROF, &often, NULL);
  while (handled < 20) burn(0.02);
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_PROF, &never, NULL);
  printf("profiled %d\n", handled >= 20);
}

/// Handles every signal that it may.
static void all_signals(void) {
  int defaults = 0, wrong = 0;
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) {
    struct sigaction action = {.sa_handler = count}, old;
    if (sigaction(number, &action, &old)) continue;
    defaults += old.sa_handler == SIG_DFL;
    if (sigaction(number, NULL, &old) || old.sa_handler != count) ++wrong;
  }
  burn(0.1);
  printf("defaults %d wrong %d handled %d\n", defaults, wrong, (int)handled);
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) raise(number);
  printf("raised %d\n", handled == SIGRTMAX - SIGRTMIN + 1);
}

/// Waits for each real-time signal, without a handler.
static void waited_signals(void) {
  int got = 0, from_file = 0;
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    pthread_kill(pthread_self(), number);
    burn(0.004);
    const struct timespec most = {5, 0};
    got += sigtimedwait(&one, NULL, &most) == number;
    raise(number);
    const int file = signalfd(-1, &one, 0);
    struct signalfd_siginfo info;
    from_file += read(file, &info, sizeof info) == sizeof info && (int)info.ssi_signo == number;
    close(file);
  }
  const int all = SIGRTMAX - SIGRTMIN + 1;
  printf("waited %d %d\n", got == all, from_file == all);
}

/// Restores all defaults, as shells and services do.
static void defaults(void) {
  int failed = 0;
  for (int number = 1; number < SIGRTMIN; ++number) signal(number, SIG_DFL);
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number)
    failed += signal(number, SIG_DFL) == SIG_ERR;
  burn(0.1);
  printf("defaults %d\n", failed);
}

static void masks(void) {
  sigset_t all, some, seen;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, NULL, &some);
  int blocked = 0;
  for (int number = 1; number <= SIGRTMAX; ++number) blocked += sigismember(&some, number) == 1;
  printf("blocked at first %d\n", blocked);
  sigemptyset(&some);
  sigaddset(&some, SIGUSR2);
  pthread_sigmask(SIG_SETMASK, &some, NULL);
  sigprocmask(SIG_BLOCK, NULL, &seen);
  blocked = 0;
  for (int number = 1; number <= SIGRTMAX; ++number) blocked += sigismember(&seen, number) == 1;
  printf("blocked %d\n", blocked);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  burn(0.08);
  sigpending(&seen);
  int pending = 0;
  for (int number = 1; number <= SIGRTMAX; ++number) pending += sigismember(&seen, number) == 1;
  printf("pending %d\n", pending);
  const struct timespec none = {0, 0};
  printf("waited for %d\n", sigtimedwait(&all, NULL, &none));
  stack_t stack;
  sigaltstack(NULL, &stack);
  printf("stack %d\n", stack.ss_flags == SS_DISABLE);
  static char own[64 << 10];
  const stack_t mine = {.ss_sp = own, .ss_size = sizeof own};
  sigaltstack(&mine, &stack);
  sigaltstack(NULL, &stack);
  printf("own stack %d\n", stack.ss_sp == own);
  pthread_sigmask(SIG_SETMASK, &some, NULL);
  burn(0.08);
  const stack_t gone = {.ss_flags = SS_DISABLE};
  sigaltstack(&gone, NULL);
  sigaltstack(NULL, &stack);
  printf("no stack %d\n", stack.ss_flags == SS_DISABLE);
  burn(0.08);
}

static void* burn_on(void* data) {
  while (!*(volatile int*)data) burn(0.002);
  return NULL;
}

/// Calls that a signal interrupts, with and without SA_RESTART.
static void sleeps(void) {
  int failed = 0, ends = 0;
  pthread_t busy;
  pthread_create(&busy, NULL, burn_on, &ends);
  sem_t never;
  sem_init(&never, 0, 0);
  for (int i = 0; i < 100; ++i) {
    burn(0.001);
    struct timespec rest = {0, 200000}, until;
    failed += nanosleep(&rest, NULL) != 0;
    failed += clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, NULL) != 0;
    failed += usleep(100) != 0;
    failed += poll(NULL, 0, 1) != 0;
    struct timeval most = {0, 200};
    failed += select(0, NULL, NULL, NULL, &most) != 0;
    failed += pselect(0, NULL, NULL, NULL, &rest, NULL) != 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000;
    if (until.tv_nsec >= 1000000000) {
      until.tv_nsec -= 1000000000;
      ++until.tv_sec;
    }
    failed += sem_timedwait(&never, &until) == 0 || errno != ETIMEDOUT;
  }
  ends = 1;
  pthread_join(busy, NULL);
  printf("interrupted %d\n", failed);
  struct sigaction action = {.sa_handler = count};
  sigaction(SIGALRM, &action, NULL);
  const struct itimerval soon = {.it_value = {0, 20000}};
  setitimer(ITIMER_REAL, &soon, NULL);
  const struct timespec longer = {20, 0};
  printf("own signal %d\n", nanosleep(&longer, NULL) == -1 && errno == EINTR && handled == 1);
}

enum { kBytes = 8 << 20 };

static int empty[2];
static volatile int reading; /* which one; negative: no more */

static char state_of(pid_t thread) {
  char name[64], text[256] = "";
  snprintf(name, sizeof name, "/proc/self/task/%d/stat", (int)thread);
  const int file = open(name, O_RDONLY);
  const ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  const char* end = bytes > 0 ? strrchr(text, ')') : NULL;
  return end ? end[2] : '?';
}

/* Ends each read by a signal, or else by a byte. */
static void* end_reads(void* data) {
  const pid_t reader = *(const pid_t*)data;
  for (int last = 0;;) {
    const int now = reading;
    if (now < 0) return NULL;
    if (now == last || state_of(reader) != 'S') continue;
    last = now;
    syscall(SYS_tgkill, getpid(), reader, SIGALRM);
    for (int i = 0; reading == now && i < 2000; ++i) usleep(1000);
    if (reading == now && write(empty[1], "", 1) != 1) abort();
  }
}

/* Samples are taken while a call begins, and later a signal of the program ends it. */
static void reads(void) {
  const struct sigaction action = {.sa_handler = count};
  sigaction(SIGALRM, &action, NULL);
  if (pipe(empty)) abort();
  int ended = 0;
  pid_t own = (pid_t)syscall(SYS_gettid);
  pthread_t thread;
  pthread_create(&thread, NULL, end_reads, &own);
  for (int i = 0; i < 50 && ended == i; ++i) {
    char byte;
    burn(0.002);
    reading = i + 1;
    ended += read(empty[0], &byte, 1) == -1 && errno == EINTR;
  }
  reading = -1;
  pthread_join(thread, NULL);
  printf("ended reads %d\n", ended);
}

static void* drain(void* data) {
  char buffer[3000];
  ssize_t got;
  long bytes = 0;
  while ((got = read(*(int*)data, buffer, sizeof buffer)) > 0) {
    bytes += got;
    for (int i = 0; i < 3000; ++i) sink = sink + 1;
  }
  return (void*)(got < 0 ? -errno : bytes);
}

/// Transfers that wait for the other side must be whole.
static void transfers(void) {
  char* data = calloc(1, kBytes);
  for (int which = 0; which < 2; ++which) {
    int files[2];
    if (which == 0 ? pipe(files) : socketpair(AF_UNIX, SOCK_STREAM, 0, files)) return;
    pthread_t reader;
    pthread_create(&reader, NULL, drain, &files[0]);
    ssize_t sent = 0;
    for (int i = 0; i < 4; ++i)
      sent += which == 0 ? write(files[1], data, kBytes) : send(files[1], data, kBytes, 0);
    close(files[1]);
    void* got = NULL;
    pthread_join(reader, &got);
    printf("sent %zd got %ld\n", sent, (long)got);
    close(files[0]);
  }
  free(data);
}

static void terminated(void) {
  burn(0.1);
  kill(getpid(), SIGTERM);
  pause();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"threads", threads},
               {"recursion", recursion},
               {"small_stacks", small_stacks},
               {"storm", storm},
               {"jumps", jumps},
               {"forks", forks},
               {"profiler", profiler},
               {"all_signals", all_signals},
               {"defaults", defaults},
               {"waited_signals", waited_signals},
               {"masks", masks},
               {"sleeps", sleeps},
               {"reads", reads},
               {"transfers", transfers},
               {"terminated", terminated}};
  setvbuf(stdout, NULL, _IONBF, 0);
  for (int at = 1; at < argc; ++at) {
    handled = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
      if (!strcmp(argv[at], cases[i].name)) cases[i].run();
  }
  MPI_Finalize();
  return 0;
}
