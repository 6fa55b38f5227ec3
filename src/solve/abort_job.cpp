// SPDX-License-Identifier: BSD-3-Clause
#include "solve/abort_job.hpp"

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace plait::solve {

void abort_job(const char* line, int exit_code) noexcept {
  constexpr std::chrono::milliseconds time_to_read{200};
  std::fprintf(stderr, "%s\n", line);
  std::fflush(stderr);
  std::this_thread::sleep_for(time_to_read);
  MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace plait::solve
