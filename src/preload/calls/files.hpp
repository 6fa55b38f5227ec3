// SPDX-License-Identifier: BSD-3-Clause
// What calls of MPI-IO say about files; called after the MPI function.
#pragma once

#include "preload/calls/traffic.hpp"
#include "preload/files/mpi_files.hpp"

namespace plait::preload {

/// The file that the calling thread is closing.
extern __thread plait_file_record* closing_file __attribute__((tls_model("initial-exec")));

inline void count_file(const Call& call, plait_file_record* file) {
  if (file)
    count_mpi_file(file, kFunctions[call.function].name, call.bytes, call.began, call.ended);
}

inline void see_io(Call& call, MPI_File file, MPI_Count count, MPI_Datatype type) {
  call.bytes = bytes_of(call.thread, count, type);
  count_file(call, mpi_file(word_of(file)));
}

/// Any other call for an open file.
inline void see_file(Call& call, MPI_File file) {
  count_file(call, mpi_file(word_of(file)));
}

inline void see_file_open(Call& call, MPI_Comm comm, const char* path, const MPI_File* file) {
  see_comm(call, comm);
  keep_mpi_file(word_of(*file), path);
  count_file(call, mpi_file(word_of(*file)));
}

/// Before the handle is freed.
inline void before_file_close(const MPI_File* file) {
  closing_file = file ? forget_mpi_file(word_of(*file)) : nullptr;
}
inline void see_file_close(Call& call) {
  count_file(call, closing_file);
}

}  // namespace plait::preload
