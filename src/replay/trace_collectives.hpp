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
  /// Collective if the trace is a part.
  /// @param threads  must outlive this object
  /// @param processes  that have the other parts
  TraceCollectives(const trace::Trace& trace, const TraceThreads& threads, Processes* processes);

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
  struct Sums;

  void list_members();
  void list_targets();
  [[nodiscard]] std::optional<Pattern> pattern(const trace::Collective& collective) const;
  [[nodiscard]] bool is_between_groups(const trace::Collective& collective) const;
  [[nodiscard]] std::uint32_t root_of(const trace::Collective& collective) const;
  template <class Use>
  void for_members_here(std::uint32_t collective, Use use) const;
  [[nodiscard]] Sums sums_of(std::uint32_t collective) const;
  /// @returns true if not all main threads take part
  bool add(std::uint32_t collective, const Sums& sums);
  void list_participants(const std::vector<std::uint32_t>& partial, Processes* processes);
  void set_participants(std::uint32_t collective, const std::vector<std::uint32_t>& threads);
  [[nodiscard]] std::uint32_t place_in(std::uint32_t comm, std::uint32_t rank) const;
  [[nodiscard]] std::uint32_t place_of(std::uint32_t comm, std::uint32_t thread) const;
  /// @param sends  the partners receive from the rank
  [[nodiscard]] std::vector<Neighbor> partners(std::uint32_t collective, std::uint32_t rank,
                                               bool sends) const;

  const trace::Trace& trace_;
  const TraceThreads& threads_;
  std::vector<std::optional<Pattern>> patterns_;     ///< by function
  std::vector<std::vector<std::uint32_t>> of_comm_;  ///< members, by communicator
  std::vector<std::vector<std::uint32_t>> order_;    ///< of_comm_'s indices by rank
  std::vector<std::vector<std::uint32_t>> here_;     ///< indices of those in Trace::members
  std::deque<std::vector<std::uint32_t>> partial_;   ///< members, unless all main threads took part
  std::unordered_map<std::uint32_t, Lists> targets_;  ///< by communicator with known neighbours
  std::vector<CollectiveStep> steps_;
};

}  // namespace plait::replay
