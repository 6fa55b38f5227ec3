// SPDX-License-Identifier: BSD-3-Clause
// Streams of libc: fopen, fread, fwrite, fprintf, fgets, fputs, fflush, fseek, fclose.
//
// What a stream does with its buffer goes from libc to the kernel and is seen nowhere, so these are
// counted as the program calls them. Single characters and scanf are not counted: they are too
// frequent, or hide their bytes.
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "preload/io/wrap.hpp"

using namespace plait::preload;
using namespace plait::preload::io;

namespace {

plait_file_record* file_of_stream(FILE* stream) {
  const int error = errno;
  const int descriptor = stream ? fileno(stream) : -1;
  errno = error;
  return descriptor >= 0 ? file_of(descriptor, PLAIT_FILE_STDIO) : nullptr;
}

void count_stream(const Observed& call, FILE* stream, plait_io_operation operation,
                  int64_t result) {
  call.end(file_of_stream(stream), operation, result);
}

}  // namespace

#define PLAIT_FOPEN(name)                                                          \
  PLAIT_WRAP(FILE*, name, (const char* path, const char* mode)) {                  \
    PLAIT_REAL(name);                                                              \
    if (!is_observed_here(PLAIT_IO_CALLER)) return real(path, mode);               \
    const Observed call(io::now_ticks());                                          \
    FILE* stream = real(path, mode);                                               \
    if (path)                                                                      \
      call.end(stream ? set_file(fileno(stream), AT_FDCWD, path, PLAIT_FILE_STDIO) \
                      : folder_entry(AT_FDCWD, path, PLAIT_FILE_STDIO),            \
               PLAIT_IO_OPEN, stream ? 0 : -1);                                    \
    return stream;                                                                 \
  }
PLAIT_FOPEN(fopen)
PLAIT_FOPEN(fopen64)

#define PLAIT_FREOPEN(name)                                                                   \
  PLAIT_WRAP(FILE*, name, (const char* path, const char* mode, FILE* was)) {                  \
    PLAIT_REAL(name);                                                                         \
    if (!is_observed_here(PLAIT_IO_CALLER)) return real(path, mode, was);                     \
    if (was) forget_file(fileno(was));                                                        \
    const Observed call(io::now_ticks());                                                     \
    FILE* stream = real(path, mode, was);                                                     \
    if (path && stream)                                                                       \
      call.end(set_file(fileno(stream), AT_FDCWD, path, PLAIT_FILE_STDIO), PLAIT_IO_OPEN, 0); \
    return stream;                                                                            \
  }
PLAIT_FREOPEN(freopen)
PLAIT_FREOPEN(freopen64)

PLAIT_WRAP(int, fclose, (FILE * stream)) {
  PLAIT_REAL(fclose);
  if (!stream || !is_observed_here(PLAIT_IO_CALLER)) return real(stream);
  plait_file_record* file = file_of_stream(stream);
  forget_file(fileno(stream));
  const Observed call(io::now_ticks());
  const int result = real(stream);
  call.end(file, PLAIT_IO_CLOSE, result);
  return result;
}

#define PLAIT_ITEMS(operation, name, parameters, ...)                          \
  PLAIT_WRAP(size_t, name, parameters) {                                       \
    PLAIT_REAL(name);                                                          \
    if (!is_observed(PLAIT_IO_CALLER)) return real(__VA_ARGS__);               \
    const Observed call(io::now_ticks());                                      \
    const size_t items = real(__VA_ARGS__);                                    \
    const int error = errno;                                                   \
    count_stream(call, stream, operation, static_cast<int64_t>(items * size)); \
    errno = error;                                                             \
    return items;                                                              \
  }
PLAIT_ITEMS(PLAIT_IO_READ, fread, (void* data, size_t size, size_t count, FILE* stream), data, size,
            count, stream)
PLAIT_ITEMS(PLAIT_IO_READ, fread_unlocked, (void* data, size_t size, size_t count, FILE* stream),
            data, size, count, stream)
PLAIT_ITEMS(PLAIT_IO_READ, __fread_chk,
            (void* data, size_t room, size_t size, size_t count, FILE* stream), data, room, size,
            count, stream)
PLAIT_ITEMS(PLAIT_IO_WRITE, fwrite, (const void* data, size_t size, size_t count, FILE* stream),
            data, size, count, stream)
PLAIT_ITEMS(PLAIT_IO_WRITE, fwrite_unlocked,
            (const void* data, size_t size, size_t count, FILE* stream), data, size, count, stream)

#define PLAIT_GETS(name, parameters, ...)                                                     \
  PLAIT_WRAP(char*, name, parameters) {                                                       \
    PLAIT_REAL(name);                                                                         \
    if (!is_observed(PLAIT_IO_CALLER)) return real(__VA_ARGS__);                              \
    const Observed call(io::now_ticks());                                                     \
    char* line = real(__VA_ARGS__);                                                           \
    count_stream(call, stream, PLAIT_IO_READ, line ? static_cast<int64_t>(strlen(line)) : 0); \
    return line;                                                                              \
  }
PLAIT_GETS(fgets, (char* text, int room, FILE* stream), text, room, stream)
PLAIT_GETS(__fgets_chk, (char* text, size_t whole, int room, FILE* stream), text, whole, room,
           stream)

// Calls that return a number of bytes, 0, or an error below 0.
#define PLAIT_ON_STREAM(operation, bytes, name, parameters, ...) \
  PLAIT_WRAP(int, name, parameters) {                            \
    PLAIT_REAL(name);                                            \
    if (!is_observed(PLAIT_IO_CALLER)) return real(__VA_ARGS__); \
    const Observed call(io::now_ticks());                        \
    const int result = real(__VA_ARGS__);                        \
    count_stream(call, stream, operation, bytes);                \
    return result;                                               \
  }
PLAIT_ON_STREAM(PLAIT_IO_WRITE, result < 0 ? -1 : static_cast<int64_t>(strlen(text)), fputs,
                (const char* text, FILE* stream), text, stream)
PLAIT_ON_STREAM(PLAIT_IO_WRITE, result, vfprintf, (FILE * stream, const char* format, va_list rest),
                stream, format, rest)
PLAIT_ON_STREAM(PLAIT_IO_WRITE, result, __vfprintf_chk,
                (FILE * stream, int flag, const char* format, va_list rest), stream, flag, format,
                rest)
PLAIT_ON_STREAM(PLAIT_IO_SYNC, result, fflush, (FILE * stream), stream)
PLAIT_ON_STREAM(PLAIT_IO_SEEK, result, fseek, (FILE * stream, long to, int from), stream, to, from)
PLAIT_ON_STREAM(PLAIT_IO_SEEK, result, fseeko, (FILE * stream, off_t to, int from), stream, to,
                from)
PLAIT_ON_STREAM(PLAIT_IO_SEEK, result, fseeko64, (FILE * stream, off64_t to, int from), stream, to,
                from)

PLAIT_WRAP(int, fprintf, (FILE * stream, const char* format, ...)) {
  static void* next;
  if (!__atomic_load_n(&next, __ATOMIC_ACQUIRE))
    __atomic_store_n(&next, next_function("vfprintf"), __ATOMIC_RELEASE);
  const auto real = reinterpret_cast<int (*)(FILE*, const char*, va_list)>(next);
  const bool observed = is_observed(PLAIT_IO_CALLER);
  const Observed call(observed ? io::now_ticks() : 0);
  va_list rest;
  va_start(rest, format);
  const int result = real(stream, format, rest);
  va_end(rest);
  if (observed) count_stream(call, stream, PLAIT_IO_WRITE, result);
  return result;
}
PLAIT_WRAP(int, __fprintf_chk, (FILE * stream, int flag, const char* format, ...)) {
  static void* next;
  if (!__atomic_load_n(&next, __ATOMIC_ACQUIRE))
    __atomic_store_n(&next, next_function("__vfprintf_chk"), __ATOMIC_RELEASE);
  const auto real = reinterpret_cast<int (*)(FILE*, int, const char*, va_list)>(next);
  const bool observed = is_observed(PLAIT_IO_CALLER);
  const Observed call(observed ? io::now_ticks() : 0);
  va_list rest;
  va_start(rest, format);
  const int result = real(stream, flag, format, rest);
  va_end(rest);
  if (observed) count_stream(call, stream, PLAIT_IO_WRITE, result);
  return result;
}
