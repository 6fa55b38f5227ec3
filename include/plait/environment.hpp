// SPDX-License-Identifier: BSD-3-Clause
// Starts and ends MPI with the thread level that the schedules need, and ends a program cleanly
// when an error occurs.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

#include "plait/error.hpp"

namespace plait {

/// MPI's thread levels, in rising order.
enum class ThreadLevel {
  single = MPI_THREAD_SINGLE,
  funneled = MPI_THREAD_FUNNELED,
  serialized = MPI_THREAD_SERIALIZED,
  multiple = MPI_THREAD_MULTIPLE
};

/// "MPI_THREAD_FUNNELED" and so on.
std::string to_string(ThreadLevel level);

/// The level that MPI has granted. Local; MPI must be initialised.
ThreadLevel granted_thread_level();

/// An error that every rank of a communicator throws alike: one of them may print it, and all can
/// end in order. Errors of this library's collective functions are of this kind.
class CollectiveError : public Error {
public:
  using Error::Error;
  explicit CollectiveError(const Error& error) : Error(error) {}
};

/// Holds MPI while it lives: initialises it unless the program already has, and finalises what it
/// initialised; while an error unwinds the stack it leaves that to guarded(). Not copyable.
/// Construct it first in main(), or in the body of guarded().
class Environment {
public:
  /// Collective over all processes. Asks for `level` and takes what MPI grants: the class Stepper
  /// refuses a schedule whose level is missing.
  Environment(int& argc, char**& argv, ThreadLevel level = ThreadLevel::serialized);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  [[nodiscard]] int rank() const { return rank_; }  ///< in MPI_COMM_WORLD
  [[nodiscard]] int size() const { return size_; }  ///< of MPI_COMM_WORLD

private:
  bool initialised_here_ = false;
  int rank_ = 0;
  int size_ = 1;
};

/// Runs `body` and turns what it throws into a message and an exit code. A CollectiveError is
/// printed by rank 0 of MPI_COMM_WORLD and returned as exit code on every rank; any other exception
/// is printed by the rank that has it and ends the whole job by MPI_Abort.
/// @param program  stands before the message: "program: error: ..."
/// @return what `body` returned, or the error's exit code
int guarded(const std::string& program, const std::function<int()>& body);

/// Agrees on whether some rank has an error. Collective over `comm`: when any rank gives a message,
/// every rank throws the CollectiveError of the lowest such rank, with "rank R: " before its text.
/// @param error  this rank's error, or nullptr
void agree_on_error(MPI_Comm comm, const Error* error);

}  // namespace plait
