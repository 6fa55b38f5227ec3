// SPDX-License-Identifier: BSD-3-Clause
// Collective calls of each communicator, by their order: do all members make the same ones?
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "check/finding.hpp"
#include "check/job.hpp"
#include "check/messages.hpp"

namespace plait::check {

/// The name without what does not matter for matching: "MPI_Bcast_c" is "MPI_Bcast".
std::string plain_name(const std::string& function);

class Collectives {
public:
  explicit Collectives(const Job& job);

  /// Calls that differ in kind, root, operation, type or count; and, where all processes have
  /// finalized, those that some members did not make. After a difference of kind nothing more is
  /// said of a communicator.
  [[nodiscard]] std::vector<Finding> findings() const;

  /// World ranks of members that have not come to the operation's call.
  [[nodiscard]] std::vector<int> absent(std::uint32_t process, std::uint32_t op) const;

  /// World ranks of members that have come to it.
  [[nodiscard]] std::vector<int> present(std::uint32_t process, std::uint32_t op) const;

  /// Do the members that came to this call differ in what they give to it, so that it may never
  /// end?
  [[nodiscard]] bool differs(std::uint32_t process, std::uint32_t op) const;

private:
  using Call = std::vector<OpRef>;  ///< one operation of each member that came, by rank
  [[nodiscard]] const Call* call_of(std::uint32_t process, std::uint32_t op) const;

  const Job& job_;
  std::map<std::uint64_t, std::vector<Call>> calls_;  ///< by communicator's key and ordinal
};

}  // namespace plait::check
