// SPDX-License-Identifier: BSD-3-Clause
// The function file of this process: its memory, and how it grows.
#include "preload/functions/function_file.hpp"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "preload/record_file.hpp"
#include "preload/recorder.hpp"
#include "preload/uncancelled.hpp"

namespace plait::preload::functions {

namespace {

constexpr uint64_t kMostBytes = 1ULL << 28;
constexpr uint64_t kStep = 1 << 18;

char path[PATH_MAX];
char* memory;
uint64_t mapped, length, used;
int room_lock;

bool grow(uint64_t end) {
  uint64_t wanted = (end + kStep - 1) / kStep * kStep;
  if (end > mapped) return false;
  if (wanted > mapped) wanted = mapped;
  const int file = open_own_file(path);
  const int error = file < 0 ? errno : reserve(file, length, wanted - length);
  if (file >= 0) uncancelled::close(file);
  if (error) {
    // Said once: nothing asks for more room afterwards.
    fprintf(stderr, "plait: cannot extend %s: %s; further functions are counted as lost\n", path,
            strerror(error));
    mapped = length;
    return false;
  }
  length = wanted;
  return true;
}

}  // namespace

plait_functions_header* create_file() {
  if (memory || !record_path(".functions", path, sizeof path)) return nullptr;
  uint64_t bytes = kMostBytes;
  rlimit limit;
  if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur / 16 < bytes)
    bytes = limit.rlim_cur / 16 / 4096 * 4096;
  const int file = create_own_file(path);
  int error = file < 0 ? errno : bytes < kStep ? ENOMEM : reserve(file, 0, kStep);
  void* mapping = MAP_FAILED;
  if (!error) {
    mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapping == MAP_FAILED) error = errno;
  }
  if (file >= 0) uncancelled::close(file);
  if (error) {
    fprintf(stderr, "plait: cannot write %s: %s; functions of this process are not recorded\n",
            path, strerror(error));
    if (file >= 0) unlink(path);
    return nullptr;
  }
  memory = static_cast<char*>(mapping);
  mapped = bytes;
  length = kStep;
  uint64_t offset = 0;
  auto* header =
      static_cast<plait_functions_header*>(take(sizeof(plait_functions_header), &offset));
  header->version = PLAIT_FUNCTIONS_VERSION;
  header->header_bytes = sizeof *header;
  __atomic_store_n(&header->magic, PLAIT_FUNCTIONS_MAGIC, __ATOMIC_RELEASE);
  return header;
}

void* take(uint64_t bytes, uint64_t* offset) {
  SpinLock hold(&room_lock);
  if (!memory) return nullptr;
  const uint64_t at = (used + 7) / 8 * 8;
  if (at + bytes > length && !grow(at + bytes)) return nullptr;
  used = at + bytes;
  *offset = at;
  __atomic_store_n(&reinterpret_cast<plait_functions_header*>(memory)->file_bytes, used,
                   __ATOMIC_RELEASE);
  return memory + at;
}

void trim_file() {
  SpinLock hold(&room_lock);
  const int file = memory ? open_own_file(path) : -1;
  if (file < 0) return;
  // Memory behind the part in use was never touched.
  mapped = length = used;
  if (ftruncate(file, static_cast<off_t>(used))) mapped = length;
  uncancelled::close(file);
}

void forget_file() {
  memory = nullptr;
  room_lock = 0;
}

}  // namespace plait::preload::functions
