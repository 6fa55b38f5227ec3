// SPDX-License-Identifier: BSD-3-Clause
// The files of MPI's handles, and what calls of MPI-IO did with them.
#pragma once

#include <stdint.h>

#include "preload/handles.hpp"
#include "trace/record_format.h"

namespace plait::preload {

/// A file handle refers to a path from now on, until forget_mpi_file(). Nothing unless files are to
/// be recorded.
void keep_mpi_file(Word handle, const char* path);

/// The file of a handle; null: unknown, or files are not recorded. Takes a lock.
plait_file_record* mpi_file(Word handle);

/// Its file is being closed. Returns it, as mpi_file() does.
plait_file_record* forget_mpi_file(Word handle);

/// Counts a call of MPI-IO by its name ("MPI_File_write_at").
/// @param file  may be null
void count_mpi_file(plait_file_record* file, const char* function, uint64_t bytes, uint64_t began,
                    uint64_t ended);

}  // namespace plait::preload
