// SPDX-License-Identifier: BSD-3-Clause
// The table of files, and what other preload objects may ask.
#include "preload/files/files.hpp"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "preload/access.hpp"
#include "preload/counters/counters.hpp"
#include "preload/hooks.hpp"
#include "preload/key_index.hpp"
#include "preload/recorder.hpp"
#include "preload/uncancelled.hpp"

namespace plait::preload {

uint64_t moved_bytes[2];

namespace {

constexpr uint32_t kMostFiles = 4096;  // further ones are counted together

KeyIndex known;  // hashes of path and kind to indices
int files_lock, memory_lock;
// A signal handler may call for files while its thread holds the lock: such a call is not counted.
__thread bool busy __attribute__((tls_model("initial-exec")));

// Devices and what the kernel tells about itself: one entry for each of the folders.
const char* folder_of_system(const char* path) {
  static const char* const kFolders[] = {"/proc", "/sys", "/dev/shm", "/dev"};
  for (const char* folder : kFolders) {
    const size_t length = strlen(folder);
    if (!strncmp(path, folder, length) && path[length] == '/') return folder;
  }
  return path;
}

plait_file_record* entry_of(uint64_t hash, const char* path, plait_file_kind kind) {
  const uint64_t key = (hash ^ (uint64_t{kind} + 1) * 0x9e3779b97f4a7c15u) | 1;
  uint32_t index = known.find(key);
  if (index != KeyIndex::kAbsent) return entry_at<plait_file_record>(PLAIT_SECTION_FILES, index);
  SpinLock hold(&files_lock);
  index = known.find(key);
  if (index != KeyIndex::kAbsent) return entry_at<plait_file_record>(PLAIT_SECTION_FILES, index);
  index = record->sections[PLAIT_SECTION_FILES].count;
  if (index >= kMostFiles && *path) return nullptr;
  auto* entry = static_cast<plait_file_record*>(append(PLAIT_SECTION_FILES));
  if (!entry) return nullptr;
  entry->path = add_string(path);
  entry->kind = kind;
  publish(PLAIT_SECTION_FILES);
  known.add(key, index);
  return entry;
}

bool is_recording() {
  return record;
}
bool is_counting() {
  return !paused;
}
int32_t pid_of_record() {
  return record ? record->pid : 0;
}

void begin_thread() {
  counters::begin_thread(-1);
  sampling_begin_thread();
}

// Takes a sample of memory and of moved bytes at a call for a file, if one is due: there may be no
// call of MPI for long. A signal handler may call for files while its thread adds to the record,
// and a thread must not be cancelled while it does.
bool sample_if_due(uint64_t now) {
  if (now < __atomic_load_n(&next_memory_sample, __ATOMIC_RELAXED) || busy || is_inside_mpi())
    return false;
  const int error = errno;
  const uncancelled::Section section;
  busy = true;
  memory_sample(now);
  busy = false;
  errno = error;
  return true;
}

constexpr Access kAccess = {is_recording, is_counting,   is_inside_mpi, thread_mpi_ticks,
                            begin_thread, pid_of_record, file_entry,    file_entry_as,
                            memory_entry, moved_bytes,   sample_if_due};

}  // namespace

plait_file_record* file_entry(const char* path, plait_file_kind kind) {
  if (!record || !path || busy) return nullptr;
  busy = true;
  path = folder_of_system(path);
  plait_file_record* entry = entry_of(plait_hash_text(path), path, kind);
  if (!entry && *path) entry = entry_of(plait_hash_text(""), "", kind);
  busy = false;
  return entry;
}

plait_file_record* file_entry_as(const plait_file_record* file, plait_file_kind kind) {
  if (!record || !file) return nullptr;
  return file_entry(entry_at<char>(PLAIT_SECTION_STRINGS, file->path), kind);
}

plait_memory_record* memory_entry() {
  if (!record) return nullptr;
  SpinLock hold(&memory_lock);
  if (record->sections[PLAIT_SECTION_MEMORY].count)
    return entry_at<plait_memory_record>(PLAIT_SECTION_MEMORY, 0);
  auto* entry = static_cast<plait_memory_record*>(append(PLAIT_SECTION_MEMORY));
  if (entry) publish(PLAIT_SECTION_MEMORY);
  return entry;
}

}  // namespace plait::preload

extern "C" __attribute__((used)) const plait::preload::Access* plait_preload_access() {
  return &plait::preload::kAccess;
}
