// SPDX-License-Identifier: BSD-3-Clause
// Performance guidelines: a collective operation should not be slower than others that do its work
// (Träff, Gropp, Thakur: Self-consistent MPI performance guidelines, 2010).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/launcher.hpp"
#include "machine/measured.hpp"

namespace plait::tune {

/// A time of an operation.
struct TimedOperation {
  std::string operation;  ///< "MPI_Bcast"
  int ranks = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
};

/// An operation that is slower than its mock-up.
struct Violation {
  TimedOperation timed;
  std::string mock_up;  ///< "MPI_Reduce and MPI_Bcast"
  double mock_up_s = 0;

  /// Old time / new time if the operation became as fast as its mock-up.
  [[nodiscard]] double promise() const { return timed.seconds / mock_up_s; }
  /// "MPI_Allreduce of 64 KiB took 80 us, MPI_Reduce and MPI_Bcast 50 us".
  [[nodiscard]] std::string sentence() const;
};

/// The usable collective operations of a machine file.
std::vector<TimedOperation> timed_operations(const machine::Measured& measured);

/// violations_of() what plait measure has found on this machine with this MPI library; none if it
/// has not measured collective operations with it.
std::vector<Violation> measured_violations(const launcher::Launcher& launcher);

/// The operations that are slower than their mock-ups by more than a tenth, largest promise first.
/// Allreduce: Reduce and Bcast; Reduce: Allreduce; Allgather: Alltoall; Barrier: Allreduce; each
/// but the barrier: the same operation with more data.
std::vector<Violation> violations_of(const std::vector<TimedOperation>& timed);

/// The violation that is nearest to calls of an operation: with as many ranks, and at most 4 times
/// as much or as little data. Null: there is none.
const Violation* violation_near(const std::vector<Violation>& violations,
                                const std::string& operation, int ranks, double bytes);

}  // namespace plait::tune
