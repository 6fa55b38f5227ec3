// SPDX-License-Identifier: BSD-3-Clause
// The collectives of a trace for a replay: pattern, root, participating members.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "replay/program.hpp"

namespace plait::replay {

/// The pattern of a collective MPI function ("MPI_Iallreduce"). Functions that create or
/// synchronize count as a barrier. Empty for neighbourhood collectives, whose members are not
/// recorded.
std::optional<Pattern> pattern_of(const std::string& function);

/// All collectives of a trace with their members.
class TraceCollectives {
public:
  explicit TraceCollectives(const trace::Trace& trace);

  /// True if the collective can be replayed.
  [[nodiscard]] bool replayable(std::uint32_t collective) const;
  /// The collective; its members are valid as long as this object.
  [[nodiscard]] CollectiveStep step(std::uint32_t collective) const;
  /// Index of the rank among the collective's members.
  [[nodiscard]] std::uint32_t member(std::uint32_t collective, std::uint32_t rank) const;

private:
  void add(std::uint32_t collective);

  const trace::Trace& trace_;
  std::vector<std::optional<Pattern>> patterns_;     ///< by function
  std::vector<std::vector<std::uint32_t>> of_comm_;  ///< members, by communicator
  std::vector<std::vector<std::uint32_t>> order_;    ///< of_comm_'s indices by rank
  std::deque<std::vector<std::uint32_t>> partial_;   ///< members, if not all took part
  std::vector<CollectiveStep> steps_;
};

}  // namespace plait::replay
