// SPDX-License-Identifier: BSD-3-Clause
// Matches sends with receives, and the members' calls of each collective.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>

#include "base/combine.hpp"
#include "base/parallel.hpp"
#include "trace/match_messages.hpp"
#include "trace/posting_order.hpp"
#include "trace/trace.hpp"

namespace plait::trace {

namespace {

class CollectiveMatcher {
public:
  CollectiveMatcher(Trace& trace, unsigned threads, Processes* processes)
      : trace_(trace),
        threads_(threads),
        processes_(trace.is_part ? processes : nullptr),
        own_(trace.ranks_here()),
        rank_ranges_(ranges_of(own_.last - own_.first, threads)) {}

  void run() {
    find_memberships();
    count_calls();
    std::vector<std::uint32_t> calls(trace_.comms.size(), 0);  // largest of all members
    from_end_.assign(trace_.comms.size(), 0);
    for (std::size_t rank = own_.first; rank < own_.last; ++rank) {
      for (const Membership& at : memberships_of(rank)) {
        calls[at.comm] = std::max(calls[at.comm], at.calls);
        if (trace_.ranks[rank].overwritten_events > 0) from_end_[at.comm] = 1;
      }
    }
    combine(processes_, calls, [](auto one, auto& most) { most = std::max(most, one); });
    last_ = calls;
    find_recorded(calls);
    leave_out_sparse(calls);
    lay_out_collectives(calls);
    std::vector<std::uint32_t> shapes(trace_.members.size(), kNone);  // of the members' calls
    for_rank_ranges([&](OwnComms& own, std::size_t rank) { join(own, rank, calls, shapes); });
    find_shapes(shapes);
    compare_members(shapes);
  }

private:
  struct Membership {
    std::uint32_t comm, index;  ///< among the members that are here
    std::uint32_t calls = 0;    ///< collective calls of the rank there
  };

  /// By communicator, of one rank.
  struct OwnComms {
    std::vector<std::uint32_t> index;  ///< kNone: not a member
    std::vector<std::uint32_t> next;   ///< ordinal of its next call
  };

  /// Calls use(scratch, rank) for all ranks, on several threads.
  template <class Use>
  void for_rank_ranges(Use use) {
    for_each_index(
        rank_ranges_.size(),
        [&](std::size_t i) {
          OwnComms own{std::vector<std::uint32_t>(trace_.comms.size(), kNone),
                       std::vector<std::uint32_t>(trace_.comms.size(), 0)};
          for (std::size_t at = rank_ranges_[i].first; at < rank_ranges_[i].last; ++at) {
            const std::size_t rank = own_.first + at;
            for (const Membership& at : memberships_of(rank)) own.index[at.comm] = at.index;
            use(own, rank);
            for (const Membership& at : memberships_of(rank)) own.index[at.comm] = kNone;
          }
        },
        threads_);
  }

  [[nodiscard]] std::span<Membership> memberships_of(std::size_t rank) {
    return std::span(memberships_)
        .subspan(first_membership_[rank], first_membership_[rank + 1] - first_membership_[rank]);
  }

  void count_calls() {
    for_rank_ranges([this](OwnComms& own, std::size_t rank) {
      for (const Membership& at : memberships_of(rank)) own.next[at.comm] = 0;
      for (const Operation& at : trace_.ranks[rank].operations) {
        const std::uint32_t comm = collective_comm(at);
        if (comm != kNone) ++own.next[comm];
      }
      for (const LeftOutOperations& at : trace_.ranks[rank].left_out_operations) {
        const std::uint32_t comm = collective_comm(at);
        if (comm != kNone) own.next[comm] += static_cast<std::uint32_t>(at.count);
      }
      for (Membership& at : memberships_of(rank)) at.calls = own.next[at.comm];
    });
  }

  /// Calls use(comm, ordinal, operation) for the collective calls of a rank; the ordinal counts
  /// those that were left out as well.
  template <class Use>
  void for_collectives(OwnComms& own, std::size_t of_rank, Use use) {
    const Rank& rank = trace_.ranks[of_rank];
    for (const Membership& at : memberships_of(of_rank)) {
      own.next[at.comm] = from_end_[at.comm] != 0 ? last_[at.comm] - at.calls : 0;
    }
    in_posting_order(rank, [&](std::uint32_t number) {
      if ((number & kLeftOut) != 0) {
        const LeftOutOperations& of = rank.left_out_operations[number & ~kLeftOut];
        const std::uint32_t comm = collective_comm(of);
        if (comm != kNone) own.next[comm] += static_cast<std::uint32_t>(of.count);
        return;
      }
      const std::uint32_t comm = collective_comm(rank.operations[number]);
      if (comm != kNone && own.index[comm] != kNone) use(comm, own.next[comm]++, number);
    });
  }

  /// Enters the calls of a rank into their collectives.
  void join(OwnComms& own, std::size_t rank, const std::vector<std::uint32_t>& calls,
            std::vector<std::uint32_t>& shapes) {
    for_collectives(
        own, rank, [&](std::uint32_t comm, std::uint32_t ordinal, std::uint32_t number) {
          if (calls[comm] == 0) return;
          Operation& at = trace_.ranks[rank].operations[number];
          at.message = first_[comm] + place_of(comm, ordinal);
          const std::size_t member = trace_.collectives[at.message].first_member + own.index[comm];
          trace_.members[member] = number;
          shapes[member] = at.shape;
        });
  }

  /// Calls use(collective) for the numbers of all collectives, on several threads.
  template <class Use>
  void for_collective_numbers(Use use) const {
    const std::vector<IndexRange> ranges = ranges_of(trace_.collectives.size(), threads_);
    for_each_index(
        ranges.size(),
        [&](std::size_t i) {
          for (std::size_t at = ranges[i].first; at < ranges[i].last; ++at) use(at);
        },
        threads_);
  }

  /// Sets Collective::shape: that of the lowest rank.
  void find_shapes(const std::vector<std::uint32_t>& shapes) {
    struct Lowest {
      std::uint32_t rank = kNone, shape = kNone;
    };
    std::vector<Lowest> lowest(trace_.collectives.size());
    for_collective_numbers([&](std::size_t number) {
      const Collective& collective = trace_.collectives[number];
      trace_.for_members(trace_.comms[collective.comm],
                         [&](std::uint32_t, int rank, std::uint32_t place) {
                           const std::uint32_t shape = shapes[collective.first_member + place];
                           const auto of_rank = static_cast<std::uint32_t>(rank);
                           if (shape != kNone && of_rank < lowest[number].rank)
                             lowest[number] = {of_rank, shape};
                         });
    });
    combine(processes_, lowest, [](const Lowest& one, Lowest& sum) {
      if (one.rank < sum.rank) sum = one;
    });
    for (std::size_t number = 0; number < lowest.size(); ++number) {
      trace_.collectives[number].shape = lowest[number].shape;
    }
  }

  /// Compares the calls of the members with that of the lowest rank. Roots are not compared on
  /// intercommunicators, where each group names them differently.
  void compare_members(const std::vector<std::uint32_t>& shapes) {
    std::vector<std::uint8_t> differs(trace_.collectives.size(), 0);
    for_collective_numbers([&](std::size_t number) {
      const Collective& collective = trace_.collectives[number];
      if (collective.shape == kNone) return;
      const Shape& first = trace_.shapes[collective.shape];
      const bool inter = !trace_.comms[collective.comm].remote_members.empty();
      const std::size_t members = places_[collective.comm];
      for (const std::uint32_t shape :
           std::span(shapes).subspan(collective.first_member, members)) {
        if (shape == kNone || shape == collective.shape) continue;
        const Shape& other = trace_.shapes[shape];
        if (first.function != other.function || (!inter && first.peer != other.peer)) {
          differs[number] = 1;
        }
      }
    });
    combine(processes_, differs, [](std::uint8_t one, std::uint8_t& any) { any |= one; });
    for (std::size_t number = 0; number < differs.size(); ++number) {
      trace_.collectives[number].consistent = differs[number] == 0;
    }
  }

  /// Lists the ordinals of the collective calls that at least one rank recorded, of communicators
  /// with calls that were left out, and counts these in `calls`.
  void find_recorded(std::vector<std::uint32_t>& calls) {
    recorded_.resize(trace_.comms.size());
    std::vector<bool> incomplete(trace_.comms.size(), false);
    bool any = false;
    for (const Rank& rank : trace_.ranks) {
      for (const LeftOutOperations& of : rank.left_out_operations) {
        const std::uint32_t comm = collective_comm(of);
        if (comm == kNone) continue;
        any = incomplete[comm] = true;
      }
    }
    if (!any) return;
    std::mutex mutex;
    for_rank_ranges([&](OwnComms& own, std::size_t rank) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
      for_collectives(own, rank, [&](std::uint32_t comm, std::uint32_t ordinal, std::uint32_t) {
        if (incomplete[comm]) found.emplace_back(comm, ordinal);
      });
      const std::scoped_lock lock(mutex);
      for (const auto& [comm, ordinal] : found) recorded_[comm].push_back(ordinal);
    });
    for (std::uint32_t comm = 0; comm < trace_.comms.size(); ++comm) {
      if (!incomplete[comm]) continue;
      std::vector<std::uint32_t>& ordinals = recorded_[comm];
      std::ranges::sort(ordinals);
      ordinals.erase(std::unique(ordinals.begin(), ordinals.end()), ordinals.end());
      calls[comm] = static_cast<std::uint32_t>(ordinals.size());
    }
  }

  /// The place of a collective call among those of its communicator that are in the trace.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t comm, std::uint32_t ordinal) const {
    const std::vector<std::uint32_t>& ordinals = recorded_[comm];
    if (ordinals.empty()) return ordinal;
    return static_cast<std::uint32_t>(std::ranges::lower_bound(ordinals, ordinal) -
                                      ordinals.begin());
  }

  /// Lists the communicators of each rank and its index in them.
  void find_memberships() {
    first_membership_.assign(trace_.ranks.size() + 1, 0);
    places_.assign(trace_.comms.size(), 0);
    const auto for_all = [&](auto use) {
      for (std::uint32_t comm = 0; comm < trace_.comms.size(); ++comm) {
        trace_.for_members(trace_.comms[comm], [&](std::uint32_t, int member, std::uint32_t place) {
          places_[comm] = place + 1;
          const auto rank = static_cast<std::size_t>(member);
          if (member >= 0 && rank < trace_.ranks.size()) use(rank, comm, place);
        });
      }
    };
    for_all([&](std::size_t rank, std::uint32_t, std::uint32_t) { ++first_membership_[rank + 1]; });
    std::partial_sum(first_membership_.begin(), first_membership_.end(), first_membership_.begin());
    memberships_.resize(first_membership_.back());
    std::vector<std::size_t> next(first_membership_.begin(), first_membership_.end() - 1);
    for_all([&](std::size_t rank, std::uint32_t comm, std::uint32_t place) {
      memberships_[next[rank]++] = {comm, place};
    });
  }

  /// The communicator of a collective operation; kNone: unknown, or not a collective.
  template <class Operations>
  [[nodiscard]] std::uint32_t collective_comm(const Operations& at) const {
    const std::uint32_t comm = trace_.shapes[at.shape].comm;
    return at.kind == OperationKind::collective && comm < trace_.comms.size() ? comm : kNone;
  }

  /// Forgets the calls of communicators of which hardly any member has events: their list of
  /// members would take memory out of proportion to the trace.
  void leave_out_sparse(std::vector<std::uint32_t>& calls) {
    constexpr std::uint64_t kSparse = 64;
    // Of some ranks only, hardly any member has events on purpose: up to 64 MiB.
    const std::uint64_t few = trace_.left_out > 0 ? 1 << 24 : 1 << 16;
    std::uint64_t operations = 0, members = 0;
    for (const Rank& rank : trace_.ranks) operations += rank.operations.size();
    std::vector<std::uint64_t> all{operations};
    combine(processes_, all, [](auto one, auto& sum) { sum += one; });
    operations = all.front();
    for (std::uint32_t comm = 0; comm < trace_.comms.size(); ++comm) {
      const Comm& of = trace_.comms[comm];
      members += calls[comm] * (of.members.size() + of.remote_members.size());
      if (members <= few + kSparse * operations) continue;
      trace_.problems.push_back(
          fmt::format("the collective calls of a communicator of {} ranks were not matched because "
                      "too few of its ranks have events",
                      of.members.size() + of.remote_members.size()));
      members -= calls[comm] * (of.members.size() + of.remote_members.size());
      calls[comm] = 0;
    }
  }

  void lay_out_collectives(const std::vector<std::uint32_t>& calls) {
    first_.assign(trace_.comms.size(), 0);
    trace_.collectives.clear();
    std::size_t members = 0;
    for (std::uint32_t comm = 0; comm < trace_.comms.size(); ++comm) {
      first_[comm] = static_cast<std::uint32_t>(trace_.collectives.size());
      for (std::uint32_t call = 0; call < calls[comm]; ++call) {
        const std::uint32_t ordinal = recorded_[comm].empty() ? call : recorded_[comm][call];
        trace_.collectives.push_back(
            {comm, ordinal, static_cast<std::uint32_t>(members), kNone, true});
        members += places_[comm];
      }
    }
    trace_.members.assign(members, kNone);
  }

  Trace& trace_;
  const unsigned threads_;
  Processes* const processes_;  // of a part
  const IndexRange own_;        // ranks that are here
  const std::vector<IndexRange> rank_ranges_;
  std::vector<Membership> memberships_;        // grouped by rank
  std::vector<std::size_t> first_membership_;  // by rank
  std::vector<std::uint32_t> places_;          // by communicator: members that are here
  std::vector<std::uint32_t> last_;            // by communicator: most calls of a member
  std::vector<std::uint8_t> from_end_;         // by communicator: a ring lost a member's first ones
  std::vector<std::uint32_t> first_;           // collective, by communicator
  std::vector<std::vector<std::uint32_t>> recorded_;  // ordinals, by communicator; empty: all
};

}  // namespace

void match(Trace& trace, unsigned threads, Processes* processes) {
  trace.unmatched_sends = trace.unmatched_receives = 0;
  trace.untraced_sends = trace.untraced_receives = 0;
  match_messages(trace, threads, processes);
  CollectiveMatcher(trace, threads, processes).run();
}

}  // namespace plait::trace
