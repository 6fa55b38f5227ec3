// SPDX-License-Identifier: BSD-3-Clause
// Compares the collective calls of all members of each communicator, in their order.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "check/finding.hpp"
#include "check/job.hpp"
#include "check/messages.hpp"

namespace plait::check {

/// The function without its large-count suffix: "MPI_Bcast" for "MPI_Bcast_c".
std::string plain_name(const std::string& function);

/// The collective calls of a job. Refers to the job, which must outlive it.
class Collectives {
public:
  explicit Collectives(const Job& job);

  /// Calls that differ in function, root, operation, type or count; and, if all processes have
  /// finalized, calls that some members did not make. Nothing more is reported for a communicator
  /// after different functions.
  [[nodiscard]] std::vector<Finding> findings() const;

  /// World ranks of members that have not made the call, and without which the operation cannot
  /// complete. Between two groups, a call with a root needs the root and the other group.
  [[nodiscard]] std::vector<int> absent(std::uint32_t process, std::uint32_t op) const;

  /// World ranks of members that have made it.
  [[nodiscard]] std::vector<int> present(std::uint32_t process, std::uint32_t op) const;

  using Call = std::vector<OpRef>;  ///< one operation per member that made the call, by rank
  /// All calls, by the key of their communicator and by their ordinal. Some may be empty.
  [[nodiscard]] const std::map<std::uint64_t, std::vector<Call>>& calls() const { return calls_; }

  /// True if a member that made the call without blocking is outside MPI. The call may need nothing
  /// but that this member calls MPI again.
  [[nodiscard]] bool may_progress(std::uint32_t process, std::uint32_t op) const;

  /// True if the members that made this call pass different arguments, so that it may never end.
  [[nodiscard]] bool differs(std::uint32_t process, std::uint32_t op) const;

private:
  [[nodiscard]] const Call* call_of(std::uint32_t process, std::uint32_t op) const;

  const Job& job_;
  std::map<std::uint64_t, std::vector<Call>> calls_;  ///< by communicator's key and ordinal
};

}  // namespace plait::check
