// SPDX-License-Identifier: BSD-3-Clause
// The table of files: what was done with each, by whom.
#pragma once

#include <stdint.h>

#include "trace/record_format.h"

namespace plait::preload {

/// The entry of a file, made when it is first asked for. With many files it is one for all further
/// ones, whose path is empty. Null: no record, or no room. Takes a lock.
plait_file_record* file_entry(const char* path, plait_file_kind kind);

/// The entry of the same file for another kind.
plait_file_record* file_entry_as(const plait_file_record* file, plait_file_kind kind);

/// The process' memory; null: no record, or no room.
plait_memory_record* memory_entry();

inline void add_atomically(uint64_t& sum, uint64_t value) {
  __atomic_fetch_add(&sum, value, __ATOMIC_RELAXED);
}

/// Bytes that calls of the program have read and written, which samples of memory keep.
extern uint64_t moved_bytes[2];

/// Counts an operation on a file that began and ended at these times. Reads and writes also count
/// by size, and their bytes in `moved` (moved_bytes), except those of calls within MPI: they are
/// part of calls of MPI-IO, or the library's own.
inline void add_operation(plait_file_record* file, plait_io_operation operation, uint64_t bytes,
                          bool failed, uint64_t began, uint64_t ended, uint64_t* moved) {
  plait_io_sums& sums = file->operations[operation];
  const uint64_t ticks = ended > began ? ended - began : 0;
  add_atomically(sums.calls, 1);
  add_atomically(sums.ticks, ticks);
  if (failed) add_atomically(sums.failures, 1);
  if (bytes) add_atomically(sums.bytes, bytes);
  if (ticks > sums.max_ticks) sums.max_ticks = ticks;
  if (!file->first_ticks) file->first_ticks = began;
  file->last_ticks = ended;
  if (failed || (operation != PLAIT_IO_READ && operation != PLAIT_IO_WRITE)) return;
  const int size = bytes < 512          ? 0
                   : bytes < (1u << 12) ? 1
                   : bytes < (1u << 16) ? 2
                   : bytes < (1u << 20) ? 3
                   : bytes < (1u << 24) ? 4
                                        : 5;
  add_atomically(file->sizes[operation == PLAIT_IO_WRITE][size], 1);
  if (file->kind != PLAIT_FILE_IN_MPI) add_atomically(moved[operation == PLAIT_IO_WRITE], bytes);
}

}  // namespace plait::preload
