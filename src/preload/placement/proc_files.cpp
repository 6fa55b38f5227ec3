// SPDX-License-Identifier: BSD-3-Clause
// Reads small text files, numbered folders and affinities by plain system calls.
#include "preload/placement/proc_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/uncancelled.hpp"
#include "trace/record_format.h"

namespace plait::preload {

long read_text(const char* path, char* text, size_t room) {
  const int file = uncancelled::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  size_t length = 0;
  while (length + 1 < room) {
    const ssize_t got = uncancelled::read(file, text + length, room - 1 - length);
    if (got <= 0) break;
    length += static_cast<size_t>(got);
  }
  uncancelled::close(file);
  text[length] = '\0';
  return static_cast<long>(length);
}

bool each_number(const char* folder, bool (*visit)(int number, void* data), void* data) {
  struct Entry {  // linux_dirent64
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    uint8_t type;
    char name[1];
  };
  const int directory = uncancelled::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return false;
  alignas(8) char block[8192];
  bool more = true;
  while (more) {
    const long got = syscall(SYS_getdents64, directory, block, sizeof block);
    if (got <= 0) break;
    for (long at = 0; more && at < got;) {
      const auto* entry = reinterpret_cast<const Entry*>(block + at);
      at += entry->bytes;
      if (entry->name[0] >= '0' && entry->name[0] <= '9') more = visit(atoi(entry->name), data);
    }
  }
  uncancelled::close(directory);
  return true;
}

int affinity_of(int tid, uint64_t* mask) {
  uint64_t wide[8192 / 64] = {};  // the kernel refuses less than it may need
  const long bytes = syscall(SYS_sched_getaffinity, tid, sizeof wide, wide);
  if (bytes <= 0) return -1;
  int cpus = 0;
  for (long i = 0; i < bytes / 8; ++i) cpus += __builtin_popcountll(wide[i]);
  memcpy(mask, wide, PLAIT_MAX_CPUS / 8);
  return cpus;
}

const char* stat_field(const char* stat, int field) {
  const char* at = strrchr(stat, ')');
  for (int i = 2; at && i < field; ++i) {
    at = strchr(at, ' ');
    if (at) ++at;
  }
  return at;
}

}  // namespace plait::preload
