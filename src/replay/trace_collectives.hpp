// SPDX-License-Identifier: BSD-3-Clause
// The collectives of a trace as a replay wants them: pattern, root, members that take part.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "replay/program.hpp"

namespace plait::replay {

/// The pattern of an MPI function ("MPI_Iallreduce"); what creates or synchronizes counts as a
/// barrier. Empty: neighbourhoods, whose members are not recorded.
std::optional<Pattern> pattern_of(const std::string& function);

/// Made once for a trace; knows for each collective who takes part.
class TraceCollectives {
public:
  explicit TraceCollectives(const trace::Trace& trace);

  /// May an operation be replayed as a part of its collective?
  [[nodiscard]] bool replayable(std::uint32_t collective) const;
  [[nodiscard]] CollectiveStep step(std::uint32_t collective) const;
  /// Index of the rank among the collective's members.
  [[nodiscard]] std::uint32_t member(std::uint32_t collective, std::uint32_t rank) const;

private:
  void add(std::uint32_t collective);

  const trace::Trace& trace_;
  std::vector<std::optional<Pattern>> patterns_;     ///< by function
  std::vector<std::vector<std::uint32_t>> of_comm_;  ///< members of intracommunicators
  std::vector<std::vector<std::uint32_t>> order_;    ///< of_comm_'s indices by rank
  std::deque<std::vector<std::uint32_t>> partial_;   ///< those of which not all took part
  std::vector<CollectiveStep> steps_;
};

}  // namespace plait::replay
