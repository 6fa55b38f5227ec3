// SPDX-License-Identifier: BSD-3-Clause
// Finds the members that others wait for in each collective call.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/lanes.hpp"
#include "analysis/message_ends.hpp"
#include "trace/trace.hpp"

namespace plait::analysis {

/// Which members of a collective call wait for which others, by its data flow.
enum class Gathering : std::uint8_t {
  none,       ///< unknown
  neighbors,  ///< each waits for those of its neighbours that send to it
  barrier,    ///< all wait for all
  n_to_n,     ///< all wait for all
  creation,   ///< of communicators and windows, and their end: usually all wait for all
  fence,      ///< of a window: all wait for all, but an assertion may spare them that
  file,       ///< collective calls for files: all may wait for all
  from_root,  ///< all wait for the root
  to_root,    ///< the root waits for all
  prefix      ///< each waits for those before it
};

/// The gathering of an MPI function in blocking, non-blocking, persistent or large-count form.
Gathering gathering_of(std::string_view function);

/// True if members of such a call may end it before the others arrive.
inline bool may_end_early(Gathering gathering) {
  return gathering == Gathering::creation || gathering == Gathering::fence ||
         gathering == Gathering::file || gathering == Gathering::neighbors;
}

/// The arrivals for which members of collective calls wait. On intercommunicators, members wait for
/// those of the other group (MPI-4.1, section 6.2.3). Members that were not recorded are left out.
class CollectiveArrivals {
public:
  /// @param threads  that work at most; 0: as many as there are usable CPUs
  /// @param processes  that have the other parts of the trace; may be null if it is whole.
  ///                   Collective among them.
  CollectiveArrivals(const trace::Trace& trace, const Lanes& lanes, const MessageEnds& messages,
                     unsigned threads, Processes* processes);

  /// The gathering of a collective call.
  [[nodiscard]] Gathering gathering(std::uint32_t collective) const {
    return gatherings_[trace_.shapes[trace_.collectives[collective].shape].function];
  }
  /// The awaited arrival on an intracommunicator. Of calls from a root: the root's; of others: the
  /// last member's.
  [[nodiscard]] const Arrival& awaited(std::uint32_t collective) const {
    return awaited_[collective].by;
  }
  [[nodiscard]] bool has_two_groups(std::uint32_t collective) const {
    return !trace_.comms[trace_.collectives[collective].comm].remote_members.empty();
  }
  /// Calls `use(arrival)` for every recorded member that sends to a rank in a neighbourhood
  /// collective.
  template <class Use>
  void for_sources(std::uint32_t rank, std::uint32_t collective, Use use) const {
    const trace::Collective& of = trace_.collectives[collective];
    const trace::Comm& comm = trace_.comms[of.comm];
    if (comm.sources.empty()) return;
    for (const int source : comm.sources[member_of(of.comm, rank)]) {
      const auto at = static_cast<std::size_t>(source);
      const std::uint32_t operation = trace_.members[of.first_member + at];
      if (operation != trace::kNone && comm.members[at] != static_cast<int>(rank)) {
        use(arrival_of(static_cast<std::uint32_t>(comm.members[at]), operation));
      }
    }
  }
  /// The arrival that a rank waits for in its part of a collective call; no lane: none.
  [[nodiscard]] Arrival awaited_by(std::uint32_t rank, const trace::Operation& part) const;
  /// The world rank of the root, on an intracommunicator; -1: none.
  [[nodiscard]] int root_of(const trace::Operation& part) const;
  /// Calls `use(arrival, operation)` for every recorded member of a collective call, those of a
  /// remote group last. In a part of a trace, for those of its ranks; then, if the root is one of
  /// these, for the others, whose operation is kNone.
  template <class Use>
  void for_members(std::uint32_t collective, Use use) const {
    const trace::Collective& of = trace_.collectives[collective];
    trace_.for_members(trace_.comms[of.comm], [&](std::uint32_t, int rank, std::uint32_t place) {
      const std::uint32_t operation = trace_.members[of.first_member + place];
      if (operation == trace::kNone) return;
      const Arrival arrival = arrival_of(static_cast<std::uint32_t>(rank), operation);
      if (arrival.lane != trace::kNone) use(arrival, operation);
    });
    for (const FarMember& member : far_members_of(collective)) use(member.arrival, trace::kNone);
  }

private:
  /// True if members wait for arrivals that differ: only one thread may find these.
  [[nodiscard]] bool differs_by_member(std::uint32_t collective) const;
  /// True if anybody waits in it, as far as is known.
  [[nodiscard]] bool waits_for_arrivals(std::uint32_t collective) const;
  static void keep_last(const Arrival& arrival, Arrival& last);
  struct Awaited {
    Arrival by;
    std::uint32_t member = 0;
  };
  static void keep_last(const Awaited& one, Awaited& last);
  /// The begin of an operation; no lane: it was not recorded.
  [[nodiscard]] Arrival arrival_of(std::uint32_t rank, std::uint32_t operation) const {
    return messages_.arrival_of(rank, operation);
  }
  /// A member on a rank of another process.
  struct FarMember {
    std::uint32_t collective, member;
    Arrival arrival;
  };
  [[nodiscard]] std::span<const FarMember> far_members_of(std::uint32_t collective) const;
  void exchange_members(Processes& processes);
  void find_equal(std::uint32_t first, std::uint32_t last);
  void find_differing(std::uint32_t collective);
  void find_between_groups(std::uint32_t collective);
  /// The index of a rank in a communicator with a topology.
  [[nodiscard]] std::size_t member_of(std::uint32_t comm, std::uint32_t rank) const;

  const trace::Trace& trace_;
  const Lanes& lanes_;
  const MessageEnds& messages_;
  std::vector<Gathering> gatherings_;  ///< by function
  std::vector<Awaited> awaited_;       ///< by collective
  /// By communicator and world rank, of those with known neighbours.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> member_of_;
  std::unordered_map<std::uint64_t, Arrival> before_;  ///< prefix, by rank and operation
  /// On intercommunicators: what ranks wait for, by rank and operation.
  std::unordered_map<std::uint64_t, Arrival> in_other_group_;
  std::vector<FarMember> far_members_;  ///< by collective and member
};

}  // namespace plait::analysis
