// SPDX-License-Identifier: BSD-3-Clause
// The files of MPI's handles.
#include "preload/files/mpi_files.hpp"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/files/files.hpp"
#include "preload/handle_map.hpp"
#include "preload/recorder.hpp"

namespace plait::preload {

namespace {

struct Open {
  plait_file_record* file;
  uint32_t next;  // the next free one
};

Pool<Open> open_files;
HandleMap indices;  // of the handles in the pool
bool any;           // a file was opened
int lock;

plait_io_operation operation_of(const char* function) {
  static const struct {
    const char* part;
    plait_io_operation operation;
  } kParts[] = {{"read", PLAIT_IO_READ}, {"write", PLAIT_IO_WRITE}, {"sync", PLAIT_IO_SYNC},
                {"seek", PLAIT_IO_SEEK}, {"open", PLAIT_IO_OPEN},   {"close", PLAIT_IO_CLOSE}};
  for (const auto& [part, operation] : kParts)
    if (strstr(function, part)) return operation;
  return PLAIT_IO_META;
}

// ROMIO and OMPIO take a name such as "ufs:out.dat".
const char* without_file_system(const char* path) {
  const char* colon = strchr(path, ':');
  const char* slash = strchr(path, '/');
  return colon && colon - path > 1 && (!slash || colon < slash) ? colon + 1 : path;
}

}  // namespace

void keep_mpi_file(Word handle, const char* path) {
  static const bool wanted = has_option("io");
  if (!wanted || !record || !path) return;
  path = without_file_system(path);
  char whole[PATH_MAX];
  if (path[0] != '/' && getcwd(whole, sizeof whole)) {
    const size_t length = strlen(whole);
    const int added = snprintf(whole + length, sizeof whole - length, "/%s", path);
    if (added > 0 && length + static_cast<size_t>(added) < sizeof whole) path = whole;
  }
  plait_file_record* file = file_entry(path, PLAIT_FILE_MPI);
  SpinLock hold(&lock);
  uint32_t index = indices.find(handle);
  if (index == HandleMap::kAbsent) index = open_files.take();
  if (!index) return;
  open_files[index].file = file;
  indices.set(handle, index);
  __atomic_store_n(&any, true, __ATOMIC_RELEASE);
}

plait_file_record* mpi_file(Word handle) {
  if (!__atomic_load_n(&any, __ATOMIC_ACQUIRE) || !record) return nullptr;
  SpinLock hold(&lock);
  const uint32_t index = indices.find(handle);
  return index == HandleMap::kAbsent ? nullptr : open_files[index].file;
}

plait_file_record* forget_mpi_file(Word handle) {
  plait_file_record* file = mpi_file(handle);
  if (!file) return nullptr;
  SpinLock hold(&lock);
  const uint32_t index = indices.find(handle);
  if (index == HandleMap::kAbsent) return nullptr;
  indices.remove(handle);
  open_files.give_back(index);
  return file;
}

void count_mpi_file(plait_file_record* file, const char* function, uint64_t bytes, uint64_t began,
                    uint64_t ended) {
  if (!file || paused) return;
  const plait_io_operation operation = operation_of(function);
  // The end of a split call has the time of its begin's bytes.
  add_operation(file, operation, bytes, false, began, ended, moved_bytes);
}

}  // namespace plait::preload
