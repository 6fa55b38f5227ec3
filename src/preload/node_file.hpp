// SPDX-License-Identifier: BSD-3-Clause
// Files in the folder of the records that the processes of a node map.
//
// Part of several preload objects: no C++ run-time library.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/uncancelled.hpp"

namespace plait::preload {

/// The boot of this kernel: nodes may have equal names, and containers their own.
/// @return false if it cannot be read
inline bool read_boot(char* into, size_t bytes) {
  const int file = uncancelled::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t got = uncancelled::read(file, into, bytes - 1);
  uncancelled::close(file);
  if (got < 8) return false;
  into[got] = 0;
  into[strcspn(into, "\n")] = 0;
  return true;
}

/// Maps a file that this process or another one creates, full of zeros. @return null on failure
inline void* map_node_file(const char* path, size_t bytes) {
  const int file = uncancelled::open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return nullptr;
  const uncancelled::Section section;
  // A file that grows beyond what the disk holds would end the process when it is written, so its
  // blocks are taken now.
  const bool has_room = posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0;
  void* const mapped =
      has_room ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  uncancelled::close(file);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

/// Notes on which CPUs the calling thread may run, a bit each, where other processes read it.
inline void note_cpus_in(uint64_t* masks, int count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set)) return;
  for (int word = 0; word < count; ++word) {
    uint64_t bits = 0;
    for (int bit = 0; bit < 64; ++bit) {
      if (CPU_ISSET(word * 64 + bit, &set)) bits |= uint64_t{1} << bit;
    }
    __atomic_store_n(&masks[word], bits, __ATOMIC_RELAXED);
  }
}

}  // namespace plait::preload
