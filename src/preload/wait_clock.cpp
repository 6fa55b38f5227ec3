// SPDX-License-Identifier: BSD-3-Clause
// Reads the run-queue time of the calling thread from /proc through a file that stays open.
#include "preload/wait_clock.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/recorder.hpp"
#include "preload/uncancelled.hpp"

namespace plait::preload {

uint64_t wait_period = UINT64_MAX, border_period = UINT64_MAX;

namespace {

constexpr double kPeriodS = 200e-6;  // about 300 times the cost of a reading
constexpr int kHighFile = 512;       // programs expect the low numbers for their own files
constexpr int kMostFiles = 64;       // open at a time: the rest of the numbers is the program's

int open_files;
bool at_each_call;

// The calling thread's file. The program may close it and give its number to a file of its own.
struct ThreadFile {
  int number;  ///< plus 1; 0: not opened yet, -1: none
  dev_t device;
  ino_t inode;
};
__thread ThreadFile own __attribute__((tls_model("initial-exec")));
pthread_key_t at_thread_end;
pthread_once_t key_once = PTHREAD_ONCE_INIT;

bool is_open(const ThreadFile& file) {
  struct stat now;
  return file.number > 0 && !fstat(file.number - 1, &now) && now.st_dev == file.device &&
         now.st_ino == file.inode;
}

void close_file(void*) {
  if (is_open(own)) uncancelled::close(own.number - 1);
  own.number = -1;
  __atomic_sub_fetch(&open_files, 1, __ATOMIC_RELAXED);
}

void make_key() {
  if (pthread_key_create(&at_thread_end, close_file)) wait_period = UINT64_MAX;
}

int open_high(const char* path) {
  const int file = uncancelled::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  const int high = fcntl(file, F_DUPFD_CLOEXEC, kHighFile);
  uncancelled::close(file);
  return high;
}

void open_file() {
  own.number = -1;
  pthread_once(&key_once, make_key);
  if (wait_period == UINT64_MAX) return;
  if (__atomic_add_fetch(&open_files, 1, __ATOMIC_RELAXED) <= kMostFiles) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", syscall(SYS_gettid));
    const int file = open_high(path);
    struct stat status;
    if (file >= 0 && !fstat(file, &status)) {
      own = {file + 1, status.st_dev, status.st_ino};
      pthread_setspecific(at_thread_end, &own);
      return;
    }
    if (file >= 0) uncancelled::close(file);
  }
  __atomic_sub_fetch(&open_files, 1, __ATOMIC_RELAXED);
}

// Of the calling thread. False: the kernel keeps none, or the program closed the file.
bool waited_until_now(uint64_t* waited_ns) {
  if (own.number == 0) open_file();
  if (!is_open(own)) return false;
  char text[96];
  const ssize_t length = uncancelled::pread(own.number - 1, text, sizeof text - 1, 0);
  if (length <= 0) return false;
  text[length] = '\0';
  char* rest = nullptr;
  strtoull(text, &rest, 10);  // on a CPU
  char* end = nullptr;
  *waited_ns = strtoull(rest, &end, 10);
  return end != rest;
}

uint64_t ticks_of(uint64_t ns) {
  return static_cast<uint64_t>(static_cast<double>(ns) * 1e-9 * record->ticks_per_s);
}

}  // namespace

uint64_t read_wait(WaitClock& clock, uint64_t now) {
  const bool first = clock.sampled == 0;
  const uint64_t waited = clock.carried;
  clock.sampled = now;
  clock.carried = 0;
  uint64_t waited_ns = 0;
  if (!waited_until_now(&waited_ns)) return waited;
  const uint64_t before_ns = clock.waited_ns;
  clock.waited_ns = waited_ns;
  if (first || !record || waited_ns <= before_ns) return waited;
  const uint64_t recent = ticks_of(waited_ns - before_ns);
  const uint64_t end = now_ticks();
  uint64_t since = end > now ? end - now : 0;  // the clocks of two CPUs
  uint64_t later_ns = 0;
  if (since >= wait_period && waited_until_now(&later_ns)) {
    // A wait between the two readings is not part of the recent one.
    const uint64_t later = later_ns > waited_ns ? ticks_of(later_ns - waited_ns) : 0;
    since = since > later ? since - later : 0;
    clock.carried = recent < since ? recent : since;
  }
  return waited + recent - clock.carried;
}

void start_reading_waits() {
  wait_period = static_cast<uint64_t>(record->ticks_per_s * kPeriodS);
  border_period = at_each_call ? 0 : wait_period;
}

void stop_reading_waits() {
  wait_period = border_period = UINT64_MAX;
}

void read_at_each_call() {
  at_each_call = true;
}

}  // namespace plait::preload
