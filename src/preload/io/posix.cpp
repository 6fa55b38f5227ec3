// SPDX-License-Identifier: BSD-3-Clause
// POSIX calls for files: open, read, write, seek, close, sync, and those by path.
//
// Each keeps what libc's function does: its result, errno, cancellation and interruptions, which
// are not restarted here. The program may call them in signal handlers and between vfork and exec.
#include <fcntl.h>
#include <stdarg.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "preload/io/wrap.hpp"

using namespace plait::preload;
using namespace plait::preload::io;

namespace {

bool has_mode(int flags) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

// After an open that gave `descriptor`; a failed one counts for the folder.
void count_open(const Observed& call, int descriptor, int folder, const char* path) {
  if (!path) return;
  plait_file_record* file = descriptor >= 0 ? set_file(descriptor, folder, path, user_kind())
                                            : folder_entry(folder, path, user_kind());
  call.end(file, PLAIT_IO_OPEN, descriptor);
}

void count_path(const Observed& call, int folder, const char* path, int result) {
  if (path && *path) call.end(folder_entry(folder, path, user_kind()), PLAIT_IO_META, result);
}

void count_descriptor(const Observed& call, int descriptor, plait_io_operation operation,
                      int64_t result) {
  // After an error the descriptor may be none, and asking for it would change nothing.
  if (result < 0 && errno == EBADF) return;
  call.end(file_of(descriptor, user_kind()), operation, result);
}

}  // namespace

#define PLAIT_OPEN(name)                                                    \
  PLAIT_WRAP(int, name, (const char* path, int flags, ...)) {               \
    PLAIT_REAL(name);                                                       \
    va_list rest;                                                           \
    va_start(rest, flags);                                                  \
    const mode_t mode = has_mode(flags) ? va_arg(rest, mode_t) : 0;         \
    va_end(rest);                                                           \
    if (!is_observed_here(PLAIT_IO_CALLER)) return real(path, flags, mode); \
    const Observed call(io::now_ticks());                                   \
    const int descriptor = real(path, flags, mode);                         \
    count_open(call, descriptor, AT_FDCWD, path);                           \
    return descriptor;                                                      \
  }
PLAIT_OPEN(open)
PLAIT_OPEN(open64)

#define PLAIT_OPENAT(name)                                                          \
  PLAIT_WRAP(int, name, (int folder, const char* path, int flags, ...)) {           \
    PLAIT_REAL(name);                                                               \
    va_list rest;                                                                   \
    va_start(rest, flags);                                                          \
    const mode_t mode = has_mode(flags) ? va_arg(rest, mode_t) : 0;                 \
    va_end(rest);                                                                   \
    if (!is_observed_here(PLAIT_IO_CALLER)) return real(folder, path, flags, mode); \
    const Observed call(io::now_ticks());                                           \
    const int descriptor = real(folder, path, flags, mode);                         \
    count_open(call, descriptor, folder, path);                                     \
    return descriptor;                                                              \
  }
PLAIT_OPENAT(openat)
PLAIT_OPENAT(openat64)

#define PLAIT_OPEN_CHECKED(name)                                      \
  PLAIT_WRAP(int, name, (const char* path, int flags)) {              \
    PLAIT_REAL(name);                                                 \
    if (!is_observed_here(PLAIT_IO_CALLER)) return real(path, flags); \
    const Observed call(io::now_ticks());                             \
    const int descriptor = real(path, flags);                         \
    count_open(call, descriptor, AT_FDCWD, path);                     \
    return descriptor;                                                \
  }
PLAIT_OPEN_CHECKED(__open_2)
PLAIT_OPEN_CHECKED(__open64_2)

#define PLAIT_OPENAT_CHECKED(name)                                            \
  PLAIT_WRAP(int, name, (int folder, const char* path, int flags)) {          \
    PLAIT_REAL(name);                                                         \
    if (!is_observed_here(PLAIT_IO_CALLER)) return real(folder, path, flags); \
    const Observed call(io::now_ticks());                                     \
    const int descriptor = real(folder, path, flags);                         \
    count_open(call, descriptor, folder, path);                               \
    return descriptor;                                                        \
  }
PLAIT_OPENAT_CHECKED(__openat_2)
PLAIT_OPENAT_CHECKED(__openat64_2)

#define PLAIT_CREAT(name)                                            \
  PLAIT_WRAP(int, name, (const char* path, mode_t mode)) {           \
    PLAIT_REAL(name);                                                \
    if (!is_observed_here(PLAIT_IO_CALLER)) return real(path, mode); \
    const Observed call(io::now_ticks());                            \
    const int descriptor = real(path, mode);                         \
    count_open(call, descriptor, AT_FDCWD, path);                    \
    return descriptor;                                               \
  }
PLAIT_CREAT(creat)
PLAIT_CREAT(creat64)

PLAIT_WRAP(int, close, (int descriptor)) {
  PLAIT_REAL(close);
  if (!is_observed_here(PLAIT_IO_CALLER)) return real(descriptor);
  // Another thread may get the number as soon as it is free.
  const plait_file_kind kind = user_kind();
  const Descriptor was = forget_file(descriptor);
  plait_file_record* file = was.files[kind];
  for (plait_file_record* other : was.files)
    if (!file) file = other;
  const Observed call(io::now_ticks());
  const int result = real(descriptor);
  call.end(file, PLAIT_IO_CLOSE, result);
  return result;
}

PLAIT_WRAP(int, close_range, (unsigned first, unsigned last, int flags)) {
  PLAIT_REAL(close_range);
  if (!real) return errno = ENOSYS, -1;
  if (is_observed_here(PLAIT_IO_CALLER))
    for (unsigned i = first; i <= last && i < (1u << 16); ++i) forget_file(static_cast<int>(i));
  return real(first, last, flags);
}

PLAIT_WRAP(int, dup, (int from)) {
  PLAIT_REAL(dup);
  const int to = real(from);
  if (to >= 0 && is_observed_here(PLAIT_IO_CALLER)) copy_file(from, to);
  return to;
}
PLAIT_WRAP(int, dup2, (int from, int wanted)) {
  PLAIT_REAL(dup2);
  const int to = real(from, wanted);
  if (to >= 0 && is_observed_here(PLAIT_IO_CALLER)) copy_file(from, to);
  return to;
}
PLAIT_WRAP(int, dup3, (int from, int wanted, int flags)) {
  PLAIT_REAL(dup3);
  const int to = real(from, wanted, flags);
  if (to >= 0 && is_observed_here(PLAIT_IO_CALLER)) copy_file(from, to);
  return to;
}

// Calls whose first parameter is a descriptor.
#define PLAIT_ON_DESCRIPTOR(operation, result_type, name, parameters, ...) \
  PLAIT_WRAP(result_type, name, parameters) {                              \
    PLAIT_REAL(name);                                                      \
    if (!is_observed(PLAIT_IO_CALLER)) return real(__VA_ARGS__);           \
    const Observed call(io::now_ticks());                                  \
    const result_type result = real(__VA_ARGS__);                          \
    count_descriptor(call, file, operation, result);                       \
    return result;                                                         \
  }

#define PLAIT_READS(name, parameters, ...) \
  PLAIT_ON_DESCRIPTOR(PLAIT_IO_READ, ssize_t, name, parameters, __VA_ARGS__)
#define PLAIT_WRITES(name, parameters, ...) \
  PLAIT_ON_DESCRIPTOR(PLAIT_IO_WRITE, ssize_t, name, parameters, __VA_ARGS__)

PLAIT_READS(read, (int file, void* data, size_t bytes), file, data, bytes)
PLAIT_READS(__read_chk, (int file, void* data, size_t bytes, size_t room), file, data, bytes, room)
PLAIT_READS(pread, (int file, void* data, size_t bytes, off_t at), file, data, bytes, at)
PLAIT_READS(pread64, (int file, void* data, size_t bytes, off64_t at), file, data, bytes, at)
PLAIT_READS(__pread_chk, (int file, void* data, size_t bytes, off_t at, size_t room), file, data,
            bytes, at, room)
PLAIT_READS(__pread64_chk, (int file, void* data, size_t bytes, off64_t at, size_t room), file,
            data, bytes, at, room)
PLAIT_READS(readv, (int file, const iovec* parts, int count), file, parts, count)
PLAIT_READS(preadv, (int file, const iovec* parts, int count, off_t at), file, parts, count, at)
PLAIT_READS(preadv64, (int file, const iovec* parts, int count, off64_t at), file, parts, count, at)
PLAIT_READS(preadv2, (int file, const iovec* parts, int count, off_t at, int flags), file, parts,
            count, at, flags)
PLAIT_READS(preadv64v2, (int file, const iovec* parts, int count, off64_t at, int flags), file,
            parts, count, at, flags)
PLAIT_WRITES(write, (int file, const void* data, size_t bytes), file, data, bytes)
PLAIT_WRITES(pwrite, (int file, const void* data, size_t bytes, off_t at), file, data, bytes, at)
PLAIT_WRITES(pwrite64, (int file, const void* data, size_t bytes, off64_t at), file, data, bytes,
             at)
PLAIT_WRITES(writev, (int file, const iovec* parts, int count), file, parts, count)
PLAIT_WRITES(pwritev, (int file, const iovec* parts, int count, off_t at), file, parts, count, at)
PLAIT_WRITES(pwritev64, (int file, const iovec* parts, int count, off64_t at), file, parts, count,
             at)
PLAIT_WRITES(pwritev2, (int file, const iovec* parts, int count, off_t at, int flags), file, parts,
             count, at, flags)
PLAIT_WRITES(pwritev64v2, (int file, const iovec* parts, int count, off64_t at, int flags), file,
             parts, count, at, flags)

PLAIT_ON_DESCRIPTOR(PLAIT_IO_SEEK, off_t, lseek, (int file, off_t to, int from), file, to, from)
PLAIT_ON_DESCRIPTOR(PLAIT_IO_SEEK, off64_t, lseek64, (int file, off64_t to, int from), file, to,
                    from)
PLAIT_ON_DESCRIPTOR(PLAIT_IO_SYNC, int, fsync, (int file), file)
PLAIT_ON_DESCRIPTOR(PLAIT_IO_SYNC, int, fdatasync, (int file), file)
PLAIT_ON_DESCRIPTOR(PLAIT_IO_META, int, fstat, (int file, void* status), file, status)
PLAIT_ON_DESCRIPTOR(PLAIT_IO_META, int, fstat64, (int file, void* status), file, status)
PLAIT_ON_DESCRIPTOR(PLAIT_IO_META, int, ftruncate, (int file, off_t bytes), file, bytes)
PLAIT_ON_DESCRIPTOR(PLAIT_IO_META, int, ftruncate64, (int file, off64_t bytes), file, bytes)

// Calls for a path, in the current folder or another.
#define PLAIT_ON_PATH(folder, name, parameters, ...)             \
  PLAIT_WRAP(int, name, parameters) {                            \
    PLAIT_REAL(name);                                            \
    if (!is_observed(PLAIT_IO_CALLER)) return real(__VA_ARGS__); \
    const Observed call(io::now_ticks());                        \
    const int result = real(__VA_ARGS__);                        \
    count_path(call, folder, path, result);                      \
    return result;                                               \
  }

PLAIT_ON_PATH(AT_FDCWD, stat, (const char* path, void* status), path, status)
PLAIT_ON_PATH(AT_FDCWD, stat64, (const char* path, void* status), path, status)
PLAIT_ON_PATH(AT_FDCWD, lstat, (const char* path, void* status), path, status)
PLAIT_ON_PATH(AT_FDCWD, lstat64, (const char* path, void* status), path, status)
PLAIT_ON_PATH(AT_FDCWD, __xstat, (int version, const char* path, void* status), version, path,
              status)
PLAIT_ON_PATH(AT_FDCWD, __xstat64, (int version, const char* path, void* status), version, path,
              status)
PLAIT_ON_PATH(AT_FDCWD, __lxstat, (int version, const char* path, void* status), version, path,
              status)
PLAIT_ON_PATH(AT_FDCWD, __lxstat64, (int version, const char* path, void* status), version, path,
              status)
PLAIT_ON_PATH(folder, fstatat, (int folder, const char* path, void* status, int flags), folder,
              path, status, flags)
PLAIT_ON_PATH(folder, fstatat64, (int folder, const char* path, void* status, int flags), folder,
              path, status, flags)
PLAIT_ON_PATH(folder, statx, (int folder, const char* path, int flags, unsigned mask, void* status),
              folder, path, flags, mask, status)
PLAIT_ON_PATH(AT_FDCWD, access, (const char* path, int mode), path, mode)
PLAIT_ON_PATH(folder, faccessat, (int folder, const char* path, int mode, int flags), folder, path,
              mode, flags)
PLAIT_ON_PATH(AT_FDCWD, unlink, (const char* path), path)
PLAIT_ON_PATH(folder, unlinkat, (int folder, const char* path, int flags), folder, path, flags)
PLAIT_ON_PATH(AT_FDCWD, rename, (const char* path, const char* to), path, to)
PLAIT_ON_PATH(AT_FDCWD, mkdir, (const char* path, mode_t mode), path, mode)
PLAIT_ON_PATH(AT_FDCWD, rmdir, (const char* path), path)
PLAIT_ON_PATH(AT_FDCWD, truncate, (const char* path, off_t bytes), path, bytes)
