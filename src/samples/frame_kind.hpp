// SPDX-License-Identifier: BSD-3-Clause
// What the frames of a sampled stack are: the program's own, or of runtimes around it.
#pragma once

#include <string>

#include "trace/symbolize.hpp"

namespace plait::samples {

enum class FrameKind {
  code,    ///< the program and its libraries
  python,  ///< a line of Python
  system,  ///< the C library and the like
  mpi,     ///< an MPI library
  openmp,  ///< an OpenMP runtime
  plait,   ///< Plait's own, which is not shown
  start,   ///< what calls main and the functions of threads, and the interpreter's own glue
};

FrameKind kind_of(const trace::Frame& frame);

/// "code", "mpi", "openmp", "python", "system", as in samples.json.
const char* kind_name(FrameKind kind);

/// True for libraries of the system.
bool is_installed(const std::string& module);

/// "MPI_Send" of "PMPI_Send"; empty if the function is not of MPI's interface in C.
std::string mpi_function(const std::string& function);

}  // namespace plait::samples
