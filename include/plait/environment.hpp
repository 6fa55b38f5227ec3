// SPDX-License-Identifier: BSD-3-Clause
// Initializes MPI with the thread level that the schedules need, finalizes it, and ends a program
// cleanly after an error.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

#include "plait/error.hpp"

namespace plait {

/// MPI's thread levels, in ascending order.
enum class ThreadLevel {
  single = MPI_THREAD_SINGLE,
  funneled = MPI_THREAD_FUNNELED,
  serialized = MPI_THREAD_SERIALIZED,
  multiple = MPI_THREAD_MULTIPLE
};

/// The name of the MPI constant, for example "MPI_THREAD_FUNNELED".
std::string to_string(ThreadLevel level);

/// The thread level that MPI has granted. Local; MPI must be initialized.
ThreadLevel granted_thread_level();

/// An error that every rank of a communicator throws alike, so that one rank can print it and all
/// ranks can end cleanly. Collective functions of this library throw errors of this kind.
class CollectiveError : public Error {
public:
  using Error::Error;
  explicit CollectiveError(const Error& error) : Error(error) {}
};

/// Keeps MPI initialized during its lifetime. It initializes MPI unless the program has done so,
/// and finalizes only what it has initialized. While an error unwinds the stack it leaves that to
/// guarded(). Not copyable. Construct it first in main() or in the body of guarded().
class Environment {
public:
  /// Collective over all processes. Requests `level` and accepts what MPI grants; Stepper reports
  /// an error for a schedule that needs more.
  Environment(int& argc, char**& argv, ThreadLevel level = ThreadLevel::serialized);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  [[nodiscard]] int rank() const { return rank_; }  ///< in MPI_COMM_WORLD
  [[nodiscard]] int size() const { return size_; }  ///< of MPI_COMM_WORLD

private:
  bool initialized_here_ = false;
  int rank_ = 0;
  int size_ = 1;
};

/// Runs `body` and turns an exception into a message on standard error and an exit code. A
/// CollectiveError is printed by rank 0 of MPI_COMM_WORLD and returned as exit code on every rank.
/// Any other exception is printed by its rank and ends the whole job with MPI_Abort.
/// @param program  prefix of the message: "program: error: ..."
/// @return the result of `body`, or the error's exit code
int guarded(const std::string& program, const std::function<int()>& body);

/// Agrees on whether any rank has an error. Collective over `comm`.
/// @param error  this rank's error, or nullptr
/// @throws CollectiveError on every rank if any rank passes an error: that of the lowest such rank,
///         with "rank R: " before its text
void agree_on_error(MPI_Comm comm, const Error* error);

}  // namespace plait
