// SPDX-License-Identifier: BSD-3-Clause
// A call of the program for a file: is it to be counted, and for which file.
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/files/files.hpp"

namespace plait::preload::io {

/// True if the call is the program's or the MPI library's, and this process is recorded. Plait's
/// own calls are not counted.
bool is_observed(const void* caller);

/// The same for calls that change what a descriptor refers to: those of a child by vfork, which
/// shares the memory and not the descriptors, are not counted.
bool is_observed_here(const void* caller);

/// The next function of that name, after this object's.
void* next_function(const char* name);

/// By which of the kinds a descriptor is used now: by the program, or within MPI.
plait_file_kind user_kind();

/// The files of a descriptor, for each kind that used it.
struct Descriptor {
  plait_file_record* files[PLAIT_FILE_IN_MPI + 1];
  bool other;  ///< a pipe, socket or terminal
};

/// The file of a descriptor; null: none, or not a file. Keeps errno. Makes system calls when it
/// sees the descriptor for the first time.
plait_file_record* file_of(int descriptor, plait_file_kind kind);

/// A descriptor refers to the file of a path from now on, relative to a folder as in openat(2).
/// Returns its entry. Keeps errno.
plait_file_record* set_file(int descriptor, int folder, const char* path, plait_file_kind kind);

/// The entry for operations on a path: that of its folder.
plait_file_record* folder_entry(int folder, const char* path, plait_file_kind kind);

/// The descriptor is closed, or will be. Returns what it referred to.
Descriptor forget_file(int descriptor);

/// Both refer to the same file from now on.
void copy_file(int from, int to);

/// A call that is being counted.
class Observed {
public:
  /// @param began  0: it is not counted
  explicit Observed(uint64_t began);
  /// Counts it, and restores errno as the call left it.
  void end(plait_file_record* file, plait_io_operation operation, int64_t result) const;

private:
  uint64_t began_;
};

uint64_t now_ticks();

}  // namespace plait::preload::io
