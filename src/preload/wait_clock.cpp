// SPDX-License-Identifier: BSD-3-Clause
// Reads the run-queue time of the calling thread from /proc through a file that stays open.
#include "preload/wait_clock.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/recorder.hpp"

namespace plait::preload {

uint64_t wait_period = UINT64_MAX;

namespace {

constexpr double kPeriodS = 200e-6;  // about 300 times the cost of a reading
constexpr int kHighFile = 512;       // programs expect the low numbers for their own files

// The calling thread's file, plus 1; 0: not opened yet, -1: none.
__thread int thread_file __attribute__((tls_model("initial-exec")));
pthread_key_t at_thread_end;
pthread_once_t key_once = PTHREAD_ONCE_INIT;

void close_file(void* file) {
  close(static_cast<int>(reinterpret_cast<intptr_t>(file)) - 1);
  thread_file = -1;
}

void make_key() {
  if (pthread_key_create(&at_thread_end, close_file)) wait_period = UINT64_MAX;
}

void open_file() {
  thread_file = -1;
  pthread_once(&key_once, make_key);
  if (wait_period == UINT64_MAX) return;
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", syscall(SYS_gettid));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const int high = fcntl(file, F_DUPFD_CLOEXEC, kHighFile);
  if (high >= 0) close(file);
  thread_file = (high >= 0 ? high : file) + 1;
  pthread_setspecific(at_thread_end, reinterpret_cast<void*>(intptr_t{thread_file}));
}

// Of the calling thread. False: the kernel keeps none, or the program closed the file.
bool waited_until_now(uint64_t* waited_ns) {
  if (thread_file == 0) open_file();
  if (thread_file < 0) return false;
  char text[96];
  const ssize_t length = pread(thread_file - 1, text, sizeof text - 1, 0);
  if (length <= 0) return false;
  text[length] = '\0';
  char* rest = nullptr;
  strtoull(text, &rest, 10);  // on a CPU
  char* end = nullptr;
  *waited_ns = strtoull(rest, &end, 10);
  return end != rest;
}

}  // namespace

uint64_t read_wait(WaitClock& clock, uint64_t now) {
  const bool first = clock.sampled == 0;
  clock.sampled = now;
  uint64_t waited_ns = 0;
  if (!waited_until_now(&waited_ns)) return 0;
  const uint64_t before_ns = clock.waited_ns;
  clock.waited_ns = waited_ns;
  if (first || !record || waited_ns <= before_ns) return 0;
  return static_cast<uint64_t>(static_cast<double>(waited_ns - before_ns) * 1e-9 *
                               record->ticks_per_s);
}

void start_reading_waits() {
  wait_period = static_cast<uint64_t>(record->ticks_per_s * kPeriodS);
}

void stop_reading_waits() {
  wait_period = UINT64_MAX;
}

}  // namespace plait::preload
