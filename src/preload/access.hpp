// SPDX-License-Identifier: BSD-3-Clause
// What the preload object of MPI offers to those that are loaded beside it on request (files, heap,
// threads, waiting).
//
// They know no MPI and have no record of their own. Without a record every question is answered
// with no, so that they pass every call through.
#pragma once

#include <stdint.h>

#include "trace/record_format.h"

namespace plait::preload {

struct Access {
  /// Is this process recorded?
  bool (*recording)();
  /// Is recording not paused?
  bool (*counting)();
  /// Is the calling thread in an MPI call?
  bool (*inside_mpi)();
  /// Ticks that the calling thread has spent in MPI: other ones after each of its calls.
  uint64_t (*mpi_ticks)();
  /// The calling thread begins.
  void (*begin_thread)();
  /// The process that the record is of; a child by vfork shares its memory.
  int32_t (*pid)();
  /// The entry of a file, made when it is first asked for; the path is copied. With many files it
  /// is one for all further ones. Null: no room. Takes a lock.
  plait_file_record* (*file)(const char* path, plait_file_kind kind);
  /// The entry of the same file for another kind.
  plait_file_record* (*file_as)(const plait_file_record* file, plait_file_kind kind);
  /// The entry of the process' memory; null: no record, or no room.
  plait_memory_record* (*memory)();
  /// Bytes that calls of the program have read and written; see add_operation().
  uint64_t* moved;
  /// A call for a file begins or ends: takes a sample of memory and of these bytes if one is due.
  /// True if it did. Keeps errno.
  bool (*sample)(uint64_t now);
};

}  // namespace plait::preload

extern "C" {
/// Defined by the preload object of MPI.
__attribute__((weak, visibility("default"))) const plait::preload::Access* plait_preload_access();
}
