// SPDX-License-Identifier: BSD-3-Clause
// Creates, maps, grows and shortens the record file of the observed process.
#include "preload/record_file.hpp"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "preload/file_name.hpp"
#include "preload/own_files.hpp"
#include "preload/record_folder.hpp"
#include "preload/recorder.hpp"
#include "preload/uncancelled.hpp"

namespace plait::preload {

namespace {

constexpr uint64_t kPage = 4096;
// The address space for the file. Memory behind its end is never touched.
constexpr uint64_t kMostBytes = 1ULL << 30;
constexpr uint64_t kLeastBytes = 1 << 20;  // that the user's limits must leave
constexpr uint64_t kStep = 16 * kPage;     // the file grows by at least this

char path[PATH_MAX];
bool in_spool, away, has_run;
char* memory;
uint64_t mapped;  // bytes of address space
uint64_t length;  // of the file, all of it promised by the file system
uint64_t used;
bool closed;
int room_lock;

void set_length(uint64_t bytes) {
  length = bytes;
  __atomic_store_n(&reinterpret_cast<plait_record_header*>(memory)->file_bytes, bytes,
                   __ATOMIC_RELEASE);
}

uint64_t rounded(uint64_t bytes, uint64_t to) {
  return (bytes + to - 1) / to * to;
}

void refuse(const char* what, int error) {
  fprintf(stderr, "plait: %s %s: %s; this process continues without being recorded\n", what, path,
          strerror(error));
}

// A mapping that uses much of the user's limit on memory would leave the program short of it.
uint64_t permitted_memory() {
  rlimit limit;
  if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur / 8 < kMostBytes)
    return limit.rlim_cur / 8 / kPage * kPage;
  return kMostBytes;
}

bool refuse_to_grow(int error) {
  static bool said;
  if (!said)
    fprintf(stderr, "plait: cannot extend %s: %s; data without room is counted as lost\n", path,
            strerror(error));
  said = true;
  return false;
}

// Makes the file at least `end` bytes long, and a quarter longer where that is possible.
bool grow(uint64_t end) {
  static bool full;
  if (full || closed || !memory) return false;
  if (end > mapped) return refuse_to_grow(EFBIG);
  uint64_t wanted = rounded(end + (length / 4 > kStep ? length / 4 : kStep), kPage);
  if (wanted > mapped) wanted = mapped;
  const int file = open_own_file(path);
  int error = file < 0 ? errno : reserve(file, length, wanted - length);
  if (error && file >= 0) {
    wanted = rounded(end, kPage);
    error = reserve(file, length, wanted - length);
  }
  if (file >= 0) uncancelled::close(file);
  full = error != 0;
  if (full) return refuse_to_grow(error);
  set_length(wanted);
  return true;
}

}  // namespace

int open_own_file(const char* name) {
  return open_own(name, in_spool, O_RDWR);
}

int create_own_file(const char* name) {
  return open_own(name, in_spool, O_RDWR | O_CREAT | O_EXCL);
}

bool permits_file_of(uint64_t bytes) {
  rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur;
}

int reserve(int file, uint64_t offset, uint64_t bytes) {
  if (!permits_file_of(offset + bytes)) return EFBIG;
  const uncancelled::Section section;  // some file systems make it write
  return posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(bytes));
}

void* create_record_file() {
  const RecordFolder folder = record_folder();
  if (!folder.path) return nullptr;
  in_spool = folder.spool;
  away = folder.away;
  has_run = folder.has_run;
  int file = -1;
  for (int i = 0; i < kMostNames; ++i) {
    if (!new_file_name(folder.path, ".rec", path, sizeof path)) return nullptr;
    file = create_own_file(path);
    if (file >= 0 || errno != EEXIST) break;
  }
  if (file < 0) return refuse("cannot create", errno), nullptr;
  const uint64_t bytes = permitted_memory();
  const bool limited = bytes < kLeastBytes || !permits_file_of(kLeastBytes);
  int error = limited ? EFBIG : reserve(file, 0, kStep);
  void* mapping = MAP_FAILED;
  if (!error) {
    mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapping == MAP_FAILED) error = errno;
  }
  uncancelled::close(file);
  if (error) {
    refuse(limited ? "a limit (ulimit -f or -v) leaves no room for" : "cannot allocate", error);
    unlink(path);
    return nullptr;
  }
  memory = static_cast<char*>(mapping);
  mapped = bytes;
  set_length(kStep);
  return memory;
}

const char* record_file_path() {
  return memory ? path : "";
}

bool record_is_away() {
  return memory && away;
}

bool has_run_folder() {
  return memory && has_run;
}

void* take_room(uint64_t bytes, uint64_t alignment, uint64_t* offset) {
  SpinLock hold(&room_lock);
  const uint64_t at = rounded(used, alignment);
  if (at + bytes > length && !grow(at + bytes)) return nullptr;
  used = at + bytes;
  *offset = at;
  return memory + at;
}

void trim_record_file() {
  SpinLock hold(&room_lock);
  const int file = memory ? open_own_file(path) : -1;
  const uint64_t before = length;
  if (file < 0) return;
  closed = true;
  set_length(used);
  if (ftruncate(file, static_cast<off_t>(used))) set_length(before);
  uncancelled::close(file);
}

}  // namespace plait::preload
