// SPDX-License-Identifier: BSD-3-Clause
// Matches sends with receives, and the members' calls of each collective.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "trace/match_messages.hpp"
#include "trace/posting_order.hpp"
#include "trace/trace.hpp"

namespace plait::trace {

namespace {

class CollectiveMatcher {
public:
  explicit CollectiveMatcher(Trace& trace) : trace_(trace) {}

  void run() {
    find_memberships();
    std::vector<std::uint32_t> calls(trace_.comms.size(), 0);  // largest of all members
    std::vector<bool> from_end(trace_.comms.size(), false);    // a ring lost a member's first
    for (const Rank& rank : trace_.ranks) {
      for_own_comms(rank, [&](std::uint32_t comm, std::uint32_t own) {
        calls[comm] = std::max(calls[comm], own);
        from_end[comm] = from_end[comm] || rank.overwritten_events > 0;
      });
    }
    const std::vector<std::uint32_t> last = calls;
    find_recorded(last, from_end, calls);
    leave_out_sparse(calls);
    lay_out_collectives(calls);
    for (Rank& rank : trace_.ranks) {
      for_collectives(rank, last, from_end,
                      [&](std::uint32_t comm, std::uint32_t ordinal, std::uint32_t number) {
                        if (calls[comm] == 0) return;
                        Operation& at = rank.operations[number];
                        at.message = first_[comm] + place_of(comm, ordinal);
                        Collective& collective = trace_.collectives[at.message];
                        trace_.members[collective.first_member + index_[comm]] = number;
                        join(collective, at);
                      });
    }
  }

  /// Calls use(comm, ordinal, operation) for the collective calls of a rank; the ordinal counts
  /// those that were left out as well.
  template <class Use>
  void for_collectives(const Rank& rank, const std::vector<std::uint32_t>& last,
                       const std::vector<bool>& from_end, Use use) {
    for_own_comms(rank, [&](std::uint32_t comm, std::uint32_t own) {
      next_[comm] = from_end[comm] ? last[comm] - own : 0;
    });
    in_posting_order(rank, [&](std::uint32_t number) {
      if ((number & kLeftOut) != 0) {
        const LeftOutOperations& of = rank.left_out_operations[number & ~kLeftOut];
        const std::uint32_t comm = collective_comm(of);
        if (comm != kNone) next_[comm] += static_cast<std::uint32_t>(of.count);
        return;
      }
      const std::uint32_t comm = collective_comm(rank.operations[number]);
      if (comm != kNone && index_[comm] != kNone) use(comm, next_[comm]++, number);
    });
  }

  /// Lists the ordinals of the collective calls that at least one rank recorded, of communicators
  /// with calls that were left out, and counts these in `calls`.
  void find_recorded(const std::vector<std::uint32_t>& last, const std::vector<bool>& from_end,
                     std::vector<std::uint32_t>& calls) {
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
    for (const Rank& rank : trace_.ranks) {
      for_collectives(rank, last, from_end,
                      [&](std::uint32_t comm, std::uint32_t ordinal, std::uint32_t) {
                        if (incomplete[comm]) recorded_[comm].push_back(ordinal);
                      });
    }
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
    const auto for_members = [&](auto use) {
      for (std::uint32_t comm = 0; comm < trace_.comms.size(); ++comm) {
        std::uint32_t index = 0;
        for (const auto* group :
             {&trace_.comms[comm].members, &trace_.comms[comm].remote_members}) {
          for (const int member : *group) {
            if (member >= 0 && static_cast<std::size_t>(member) < trace_.ranks.size()) {
              use(static_cast<std::size_t>(member), comm, index);
            }
            ++index;
          }
        }
      }
    };
    for_members(
        [&](std::size_t rank, std::uint32_t, std::uint32_t) { ++first_membership_[rank + 1]; });
    std::partial_sum(first_membership_.begin(), first_membership_.end(), first_membership_.begin());
    memberships_.resize(first_membership_.back());
    std::vector<std::size_t> next(first_membership_.begin(), first_membership_.end() - 1);
    for_members([&](std::size_t rank, std::uint32_t comm, std::uint32_t index) {
      memberships_[next[rank]++] = {comm, index};
    });
    index_.assign(trace_.comms.size(), kNone);
    next_.assign(trace_.comms.size(), 0);
  }

  /// Sets `index_` to the rank's index in each of its communicators, and calls use(comm, calls)
  /// with the number of its collective calls there.
  template <class Use>
  void for_own_comms(const Rank& rank, Use use) {
    std::ranges::fill(index_, kNone);
    const auto number = static_cast<std::size_t>(&rank - trace_.ranks.data());
    const auto own = std::span(memberships_)
                         .subspan(first_membership_[number],
                                  first_membership_[number + 1] - first_membership_[number]);
    for (const Membership& at : own) {
      index_[at.comm] = at.index;
      next_[at.comm] = 0;
    }
    for (const Operation& at : rank.operations) {
      const std::uint32_t comm = collective_comm(at);
      if (comm != kNone) {
        ++next_[comm];
      }
    }
    for (const LeftOutOperations& at : rank.left_out_operations) {
      const std::uint32_t comm = collective_comm(at);
      if (comm != kNone) next_[comm] += static_cast<std::uint32_t>(at.count);
    }
    for (const Membership& at : own) {
      use(at.comm, next_[at.comm]);
    }
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
      const Comm& of = trace_.comms[comm];
      for (std::uint32_t call = 0; call < calls[comm]; ++call) {
        const std::uint32_t ordinal = recorded_[comm].empty() ? call : recorded_[comm][call];
        trace_.collectives.push_back(
            {comm, ordinal, static_cast<std::uint32_t>(members), kNone, true});
        members += of.members.size() + of.remote_members.size();
      }
    }
    trace_.members.assign(members, kNone);
  }

  /// Roots are not compared on intercommunicators, where each group names them differently.
  void join(Collective& collective, const Operation& operation) const {
    const bool inter = !trace_.comms[collective.comm].remote_members.empty();
    if (collective.shape == kNone) {
      collective.shape = operation.shape;
      return;
    }
    const Shape& first = trace_.shapes[collective.shape];
    const Shape& other = trace_.shapes[operation.shape];
    if (first.function != other.function || (!inter && first.peer != other.peer)) {
      collective.consistent = false;
    }
  }

  Trace& trace_;

  struct Membership {
    std::uint32_t comm, index;
  };
  std::vector<Membership> memberships_;        // grouped by rank
  std::vector<std::size_t> first_membership_;  // by rank
  std::vector<std::uint32_t> first_;           // collective, by communicator
  std::vector<std::uint32_t> index_;  // of the current rank, by communicator; kNone: not a member
  std::vector<std::uint32_t> next_;   // ordinal of its next call, by communicator
  std::vector<std::vector<std::uint32_t>> recorded_;  // ordinals, by communicator; empty: all
};

}  // namespace

void match(Trace& trace, unsigned threads) {
  trace.unmatched_sends = trace.unmatched_receives = 0;
  trace.untraced_sends = trace.untraced_receives = 0;
  match_messages(trace, threads);
  CollectiveMatcher(trace).run();
}

}  // namespace plait::trace
