// SPDX-License-Identifier: BSD-3-Clause
// Matches sends with receives, and the members' calls of each collective.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "trace/channels.hpp"
#include "trace/trace.hpp"

namespace plait::trace {

namespace {

/// Marks an index into Rank::left_out_operations among the numbers of operations.
constexpr std::uint32_t kLeftOut = 1U << 31;

/// The sends (or the receives) of all channels in posting order, grouped by channel.
/// `Operation::message` is the channel until they are matched.
class Posted {
public:
  explicit Posted(std::size_t count) : begin_(count + 1, 0) {}

  void count(std::uint32_t channel) { ++begin_[channel + 1]; }
  void lay_out() {
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    operations_.resize(begin_.back());
    next_.assign(begin_.begin(), begin_.end() - 1);
  }
  void put(std::uint32_t channel, std::uint32_t operation) {
    operations_[next_[channel]++] = operation;
  }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t channel) const {
    return std::span(operations_).subspan(begin_[channel], begin_[channel + 1] - begin_[channel]);
  }

private:
  std::vector<std::size_t> begin_, next_;
  std::vector<std::uint32_t> operations_;
};

class Matcher {
public:
  explicit Matcher(Trace& trace) : trace_(trace) {}

  void run() {
    find_channels();
    match_messages();
    match_collectives();
  }

private:
  /// The world rank of the shape's `peer`; -1: none.
  int partner_of(std::uint32_t rank, const Shape& shape) {
    if (shape.peer < 0 || shape.comm >= trace_.comms.size()) {
      return -1;
    }
    const std::vector<int>*& peers = peers_[shape.comm];
    if (peers == nullptr) peers = &trace_.comms[shape.comm].peers_of(static_cast<int>(rank));
    const auto index = static_cast<std::size_t>(shape.peer);
    return index < peers->size() ? (*peers)[index] : -1;
  }

  /// The channel of a send or receive; kNone: it cannot have a partner.
  std::uint32_t channel_of(std::uint32_t rank, Operation& operation) {
    Known& known = known_[operation.shape];
    const Shape& shape = trace_.shapes[operation.shape];
    const bool named = !operation.wildcard && operation.partner < 0;
    const bool sends = operation.kind == OperationKind::send;
    if (known.rank == rank && known.sends == sends && operation.tag == known.tag &&
        (named || operation.partner == known.partner)) {
      operation.partner = known.partner;
      return known.channel;
    }
    if (named) {
      operation.partner = partner_of(rank, shape);
    }
    known = {rank, kNone, operation.partner, operation.tag, sends};
    const auto partner = static_cast<std::uint32_t>(operation.partner);
    if (operation.partner >= 0 && partner < trace_.ranks.size()) {
      known.channel =
          channels_.number_of({shape.comm, sends ? rank : partner, sends ? partner : rank,
                               operation.tag, (shape.flags & PLAIT_SHAPE_PARTITIONED) != 0});
    }
    return known.channel;
  }

  /// The channels of what a rank left out, for which Rank::left_out_operations has no room.
  void find_channels_left_out(std::uint32_t rank) {
    left_out_channels_.resize(trace_.ranks.size());
    std::vector<std::uint32_t>& channels = left_out_channels_[rank];
    for (const LeftOutOperations& of : trace_.ranks[rank].left_out_operations) {
      Operation one;
      one.kind = of.kind;
      one.shape = of.shape;
      one.partner = of.partner;
      one.tag = of.tag;
      one.wildcard = of.partner >= 0;  // its shape does not name the partner
      channels.push_back(of.kind == OperationKind::collective ? kNone : channel_of(rank, one));
    }
  }

  /// Stores the channel of each send and receive in `message`.
  void find_channels() {
    known_.assign(trace_.shapes.size(), {});
    for (std::uint32_t rank = 0; rank < trace_.ranks.size(); ++rank) {
      const Rank& of = trace_.ranks[rank];
      if (of.operations.empty() && of.left_out_operations.empty()) continue;
      peers_.assign(trace_.comms.size(), nullptr);
      find_channels_left_out(rank);
      for (Operation& operation : trace_.ranks[rank].operations) {
        operation.message = kNone;
        if (operation.kind == OperationKind::collective) {
          continue;
        }
        const std::uint32_t channel = channel_of(rank, operation);
        if (operation.cancelled || channel != kNone) {
          operation.message = operation.cancelled ? kNone : channel;
        } else if (trace_.shapes[operation.shape].peer != PLAIT_NULL_PEER) {
          ++(operation.kind == OperationKind::send ? trace_.unmatched_sends
                                                   : trace_.unmatched_receives);
        }
      }
    }
  }

  /// Calls `use(number)` for the operations of a rank in the order in which they were posted, those
  /// that it left out included.
  template <class Use>
  void in_posting_order(const Rank& rank, Use use) {
    const auto count = static_cast<std::uint32_t>(rank.operations.size());
    const auto& left_out = rank.left_out_operations;
    const auto later_stream = [](const auto& at) { return at.stream != 0; };
    if (std::ranges::none_of(rank.operations, later_stream) &&
        std::ranges::none_of(left_out, later_stream)) {
      std::uint32_t skipped = 0;
      for (std::uint32_t number = 0; number <= count; ++number) {
        for (; skipped < left_out.size() && left_out[skipped].before <= number; ++skipped) {
          use(skipped | kLeftOut);
        }
        if (number < count) use(number);
      }
      return;
    }
    std::vector<std::uint32_t> order(left_out.size() + count);
    const auto operations = order.begin() + static_cast<std::ptrdiff_t>(left_out.size());
    std::iota(order.begin(), operations, kLeftOut);
    std::iota(operations, order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t number) {
      if ((number & kLeftOut) != 0) return left_out[number & ~kLeftOut].at;
      const Operation& at = rank.operations[number];
      return rank.streams[at.stream].events[at.started].begin;
    });
    std::ranges::for_each(order, use);
  }

  void match_messages() {
    Posted sends(channels_.all().size()), receives(channels_.all().size());
    const auto posted_of = [&](const Operation& at) -> Posted& {
      return at.kind == OperationKind::send ? sends : receives;
    };
    const auto matchable = [](const Operation& at) {
      return at.kind != OperationKind::collective && at.message != kNone;
    };
    std::size_t candidates = 0;
    for (std::size_t number = 0; number < trace_.ranks.size(); ++number) {
      const Rank& rank = trace_.ranks[number];
      for (const Operation& at : rank.operations) {
        if (matchable(at)) {
          posted_of(at).count(at.message);
          candidates += at.kind == OperationKind::send ? 1 : 0;
        }
      }
      for (std::size_t i = 0; i < rank.left_out_operations.size(); ++i) {
        const std::uint32_t channel = left_out_channels_[number][i];
        if (channel == kNone) continue;
        const bool sends_it = rank.left_out_operations[i].kind == OperationKind::send;
        (sends_it ? sends : receives).count(channel);
      }
    }
    sends.lay_out();
    receives.lay_out();
    for (Rank& rank : trace_.ranks) {
      in_posting_order(rank, [&](std::uint32_t number) {
        if ((number & kLeftOut) != 0) {
          const std::uint32_t index = number & ~kLeftOut;
          const auto of_rank = static_cast<std::size_t>(&rank - trace_.ranks.data());
          const std::uint32_t channel = left_out_channels_[of_rank][index];
          if (channel == kNone) return;
          const bool sends_it = rank.left_out_operations[index].kind == OperationKind::send;
          (sends_it ? sends : receives).put(channel, number);
          return;
        }
        Operation& at = rank.operations[number];
        if (matchable(at)) {
          posted_of(at).put(at.message, number);
          at.message = kNone;
        }
      });
    }
    trace_.messages.clear();
    trace_.messages.reserve(candidates);
    for (std::size_t channel = 0; channel < channels_.all().size(); ++channel) {
      match_channel(channels_.all()[channel], sends[channel], receives[channel]);
    }
  }

  /// Pairs the n-th send with the n-th receive. If a ring lost the first ones of either side,
  /// counts from the end instead. At the end of a killed program there may be receives that had not
  /// ended and sends that began after a receive had ended; they are skipped.
  void match_channel(const Channel& channel, std::span<const std::uint32_t> sends,
                     std::span<const std::uint32_t> receives) {
    Rank& sender = trace_.ranks[channel.sender];
    Rank& receiver = trace_.ranks[channel.receiver];
    const std::size_t before = trace_.messages.size();
    if (has_left_out(sends) || has_left_out(receives)) {
      match_numbered(channel, sends, receives);
      keep_matched(sender, receiver, before);
      return;
    }
    if (sender.overwritten_events == 0 && receiver.overwritten_events == 0) {
      for (std::size_t i = 0; i < std::min(sends.size(), receives.size()); ++i) {
        pair(channel, sends[i], receives[i]);
      }
    } else {
      for (std::size_t s = sends.size(), r = receives.size(); s > 0 && r > 0;) {
        if (!receiver.complete && receiver.operations[receives[r - 1]].ended == kNone) {
          --r;
        } else if (begin_of(sender, sends[s - 1]) > end_of(receiver, receives[r - 1])) {
          --s;
        } else {
          pair(channel, sends[--s], receives[--r]);
        }
      }
      std::reverse(trace_.messages.begin() + static_cast<std::ptrdiff_t>(before),
                   trace_.messages.end());
    }
    const std::size_t matched = trace_.messages.size() - before;
    const bool one_sided = sender.left_out || receiver.left_out;
    (one_sided ? trace_.untraced_sends : trace_.unmatched_sends) += sends.size() - matched;
    (one_sided ? trace_.untraced_receives : trace_.unmatched_receives) += receives.size() - matched;
    keep_matched(sender, receiver, before);
  }

  static bool has_left_out(std::span<const std::uint32_t> posted) {
    return std::ranges::any_of(posted, [](std::uint32_t entry) { return (entry & kLeftOut) != 0; });
  }

  /// The sends (or receives) of a channel of which there are events, each with its number among all
  /// that were posted. In a ring numbers count backwards from the last one, which is -1.
  struct Numbered {
    std::vector<std::pair<std::int64_t, std::uint32_t>> operations;
    std::int64_t first = 0, end = 0;  ///< numbers
  };

  static Numbered numbered(const Rank& rank, std::span<const std::uint32_t> posted, bool ring) {
    Numbered out;
    for (const std::uint32_t entry : posted) {
      if ((entry & kLeftOut) == 0) {
        out.operations.emplace_back(out.end++, entry);
      } else {
        const std::uint64_t count = rank.left_out_operations[entry & ~kLeftOut].count;
        out.end += static_cast<std::int64_t>(count);
      }
    }
    if (!ring) return out;
    for (auto& [number, operation] : out.operations) number -= out.end;
    out.first = -out.end;
    out.end = 0;
    return out;
  }

  /// Pairs the n-th send with the n-th receive where events are left out on purpose. A partner that
  /// was left out, and not lost, makes an operation untraced.
  void match_numbered(const Channel& channel, std::span<const std::uint32_t> sends,
                      std::span<const std::uint32_t> receives) {
    const Rank& sender = trace_.ranks[channel.sender];
    const Rank& receiver = trace_.ranks[channel.receiver];
    const bool ring = sender.overwritten_events > 0 || receiver.overwritten_events > 0;
    const Numbered sent = numbered(sender, sends, ring);
    const Numbered received = numbered(receiver, receives, ring);
    const auto alone = [](std::int64_t number, const Numbered& others, std::uint64_t& untraced,
                          std::uint64_t& unmatched) {
      ++(number >= others.first && number < others.end ? untraced : unmatched);
    };
    auto send = sent.operations.begin();
    auto receive = received.operations.begin();
    while (send != sent.operations.end() || receive != received.operations.end()) {
      const bool no_send = send == sent.operations.end();
      const bool no_receive = receive == received.operations.end();
      if (!no_send && !no_receive && send->first == receive->first) {
        pair(channel, send++->second, receive++->second);
      } else if (no_receive || (!no_send && send->first < receive->first)) {
        alone(send++->first, received, trace_.untraced_sends, trace_.unmatched_sends);
      } else {
        alone(receive++->first, sent, trace_.untraced_receives, trace_.unmatched_receives);
      }
    }
  }

  /// Stores in the operations the messages from number `before` on, all of one channel.
  void keep_matched(Rank& sender, Rank& receiver, std::size_t before) {
    for (std::size_t number = before; number < trace_.messages.size(); ++number) {
      const Message& message = trace_.messages[number];
      Operation& send = sender.operations[message.send];
      Operation& receive = receiver.operations[message.receive];
      send.message = receive.message = static_cast<std::uint32_t>(number);
      receive.bytes = send.bytes;
    }
  }

  void pair(const Channel& channel, std::uint32_t send, std::uint32_t receive) {
    trace_.messages.push_back({channel.sender, channel.receiver, send, receive});
  }

  static std::int64_t begin_of(const Rank& rank, std::uint32_t number) {
    const Operation& at = rank.operations[number];
    return rank.streams[at.stream].events[at.started].begin;
  }

  static std::int64_t end_of(const Rank& rank, std::uint32_t number) {
    const Operation& at = rank.operations[number];
    return at.ended == kNone ? rank.end : rank.streams[at.end_stream].events[at.ended].end;
  }

  void match_collectives() {
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

  /// The channel last found for a shape and rank; the next call usually has the same.
  struct Known {
    std::uint32_t rank = kNone;
    std::uint32_t channel = kNone;
    int partner = -1;
    int tag = 0;
    bool sends = false;
  };

  Trace& trace_;
  Channels channels_;
  std::vector<Known> known_;                    // by shape
  std::vector<const std::vector<int>*> peers_;  // of the current rank, by communicator

  struct Membership {
    std::uint32_t comm, index;
  };
  std::vector<Membership> memberships_;        // grouped by rank
  std::vector<std::size_t> first_membership_;  // by rank
  std::vector<std::uint32_t> first_;           // collective, by communicator
  std::vector<std::uint32_t> index_;  // of the current rank, by communicator; kNone: not a member
  std::vector<std::uint32_t> next_;   // ordinal of its next call, by communicator
  std::vector<std::vector<std::uint32_t>> left_out_channels_;  // by rank and left_out_operations
  std::vector<std::vector<std::uint32_t>> recorded_;  // ordinals, by communicator; empty: all
};

}  // namespace

void match(Trace& trace) {
  trace.unmatched_sends = trace.unmatched_receives = 0;
  trace.untraced_sends = trace.untraced_receives = 0;
  Matcher(trace).run();
}

}  // namespace plait::trace
