// SPDX-License-Identifier: BSD-3-Clause
// The collectives of a trace for a replay: pattern, root, participating members.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "replay/program.hpp"
#include "replay/trace_threads.hpp"

namespace plait::replay {

/// The pattern of a collective MPI function ("MPI_Iallreduce"). Functions that create or
/// synchronize count as a barrier. Empty for neighbourhood collectives.
std::optional<Pattern> pattern_of(const std::string& function);

/// A thread that sends to another in a neighbourhood collective, or receives from it.
struct Neighbor {
  std::uint32_t thread = 0;
  std::uint64_t bytes = 0;  ///< sent; the mean over all to which the sender sends
};

/// All collectives of a trace with their members.
class TraceCollectives {
public:
  /// The threads must outlive this object.
  TraceCollectives(const trace::Trace& trace, const TraceThreads& threads);

  /// True if step() can replay the collective.
  [[nodiscard]] bool replayable(std::uint32_t collective) const;
  /// True for a neighbourhood collective whose neighbours are known.
  [[nodiscard]] bool is_among_neighbors(std::uint32_t collective) const;
  /// The threads from which a rank receives in such a collective, and those to which it sends: of
  /// replayed threads, without itself. Every message is in one list of each kind.
  [[nodiscard]] std::vector<Neighbor> sources(std::uint32_t collective, std::uint32_t rank) const;
  [[nodiscard]] std::vector<Neighbor> targets(std::uint32_t collective, std::uint32_t rank) const;
  /// The collective; its members are threads, valid as long as this object.
  [[nodiscard]] CollectiveStep step(std::uint32_t collective) const;
  /// Index of the thread among the collective's members.
  [[nodiscard]] std::uint32_t member(std::uint32_t collective, std::uint32_t thread) const;

private:
  /// By member: indices of members.
  using Lists = std::vector<std::vector<int>>;

  void add(std::uint32_t collective);
  [[nodiscard]] std::uint32_t place_in(std::uint32_t comm, std::uint32_t rank) const;
  /// @param sends  the partners receive from the rank
  [[nodiscard]] std::vector<Neighbor> partners(std::uint32_t collective, std::uint32_t rank,
                                               bool sends) const;

  const trace::Trace& trace_;
  const TraceThreads& threads_;
  std::vector<std::optional<Pattern>> patterns_;     ///< by function
  std::vector<std::vector<std::uint32_t>> of_comm_;  ///< members, by communicator
  std::vector<std::vector<std::uint32_t>> order_;    ///< of_comm_'s indices by rank
  std::deque<std::vector<std::uint32_t>> partial_;   ///< members, unless all main threads took part
  std::unordered_map<std::uint32_t, Lists> targets_;  ///< by communicator with known neighbours
  std::vector<CollectiveStep> steps_;
};

}  // namespace plait::replay
