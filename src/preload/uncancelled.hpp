// SPDX-License-Identifier: BSD-3-Clause
// System calls at which a thread of the program cannot be cancelled.
//
// The C library's open, read, close and the like are cancellation points. A thread that the program
// has cancelled would end in one that Plait makes: at a place where it does not end without Plait,
// and perhaps while it holds a lock of Plait's.
//
// Part of the preload objects and of the mapper: no C++ run-time library.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

namespace plait::preload::uncancelled {

inline int openat(int folder, const char* path, int flags, mode_t mode = 0) {
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

inline int open(const char* path, int flags, mode_t mode = 0) {
  return openat(AT_FDCWD, path, flags, mode);
}

inline int close(int file) {
  return static_cast<int>(syscall(SYS_close, file));
}

inline ssize_t read(int file, void* data, size_t bytes) {
  return syscall(SYS_read, file, data, bytes);
}

inline ssize_t pread(int file, void* data, size_t bytes, off_t offset) {
  return syscall(SYS_pread64, file, data, bytes, offset);
}

inline ssize_t write(int file, const void* data, size_t bytes) {
  return syscall(SYS_write, file, data, bytes);
}

/// Writes all of it. Returns 0 or the error.
inline int write_all(int file, const char* data, size_t bytes) {
  while (bytes > 0) {
    const ssize_t done = write(file, data, bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : ENOSPC;
    data += done;
    bytes -= static_cast<size_t>(done);
  }
  return 0;
}

inline ssize_t pwritev(int file, const iovec* parts, int count, off_t offset) {
  return syscall(SYS_pwritev, file, parts, count, offset, 0L);
}

/// Sleeps for that long, or until a signal arrives.
inline void sleep(const timespec& time) {
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, nullptr);
}

/// While it exists, the calling thread is not cancelled: for library functions that make such
/// calls.
class Section {
public:
  Section() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Section() { pthread_setcancelstate(before_, nullptr); }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace plait::preload::uncancelled
