// SPDX-License-Identifier: BSD-3-Clause
// Initializes and finalizes MPI, and ends a program cleanly after an error.
#include "plait/environment.hpp"

#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include "base/failure.hpp"
#include "solve/abort_job.hpp"

namespace plait {
namespace {

/// Set when an Environment ends because of an error; guarded() then finalizes MPI.
bool left_to_guarded = false;

/// True if MPI has been initialized and not finalized.
bool mpi_runs() {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized != 0 && finalized == 0;
}

/// Rank in MPI_COMM_WORLD; 0 without MPI.
int world_rank() {
  int rank = 0;
  if (mpi_runs()) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

}  // namespace

std::string to_string(ThreadLevel level) {
  switch (level) {
    case ThreadLevel::single:
      return "MPI_THREAD_SINGLE";
    case ThreadLevel::funneled:
      return "MPI_THREAD_FUNNELED";
    case ThreadLevel::serialized:
      return "MPI_THREAD_SERIALIZED";
    case ThreadLevel::multiple:
      return "MPI_THREAD_MULTIPLE";
  }
  return "";
}

ThreadLevel granted_thread_level() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return static_cast<ThreadLevel>(level);
}

Environment::Environment(int& argc, char**& argv, ThreadLevel level) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) {
    int granted = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, static_cast<int>(level), &granted);
    initialized_here_ = true;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

Environment::~Environment() {
  if (!initialized_here_ || !mpi_runs()) return;
  // MPI_Finalize() would wait for ranks without the error.
  if (std::uncaught_exceptions() > 0) {
    left_to_guarded = true;
  } else {
    MPI_Finalize();
  }
}

int guarded(const std::string& program, const std::function<int()>& body) {
  try {
    return body();
  } catch (const CollectiveError& error) {
    if (world_rank() == 0) {
      std::fprintf(stderr, "%s: error: %s\n", program.c_str(), error.what());
      std::fflush(stderr);
    }
    if (left_to_guarded && mpi_runs()) MPI_Finalize();
    return exit_code_of(error);
  } catch (const std::exception& error) {
    const std::string line =
        program + ": error: rank " + std::to_string(world_rank()) + ": " + error.what();
    if (mpi_runs()) solve::abort_job(line.c_str(), 1);
    std::fprintf(stderr, "%s\n", line.c_str());
    return 1;
  }
}

void agree_on_error(MPI_Comm comm, const Error* error) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int lowest = error != nullptr ? rank : size;
  MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPI_INT, MPI_MIN, comm);
  if (lowest == size) return;
  std::vector<char> text(1024, '\0');
  if (error != nullptr && lowest == rank) std::strncpy(text.data(), error->what(), text.size() - 1);
  MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, lowest, comm);
  throw CollectiveError("rank " + std::to_string(lowest), text.data(), "");
}

}  // namespace plait
