// SPDX-License-Identifier: BSD-3-Clause
// Matches sends with receives: each rank numbers its channels by itself, then each channel is
// matched by itself, so that several threads can do either.
#include "trace/match_messages.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "base/combine.hpp"
#include "base/parallel.hpp"
#include "base/plain_bytes.hpp"
#include "trace/channels.hpp"
#include "trace/posting_order.hpp"

namespace plait::trace {

namespace {

/// The sends (or the receives) of all channels in posting order, grouped by channel.
class Posted {
public:
  explicit Posted(std::size_t channels) : begin_(channels + 1, 0) {}

  void count(std::uint32_t channel, std::size_t operations) { begin_[channel + 1] = operations; }
  void lay_out() {
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    operations_ = std::make_unique_for_overwrite<std::uint32_t[]>(begin_.back());
    next_.assign(begin_.begin(), begin_.end() - 1);
  }
  void put(std::uint32_t channel, std::uint32_t operation) {
    operations_[next_[channel]++] = operation;
  }
  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t channel) const {
    return {operations_.get() + begin_[channel], begin_[channel + 1] - begin_[channel]};
  }

private:
  std::vector<std::size_t> begin_, next_;
  std::unique_ptr<std::uint32_t[]> operations_;  // each is put before it is read
};

/// The channels of a rank's operations, numbered by the rank in the order of their first use.
struct RankChannels {
  Channels channels{kFewChannels};
  std::vector<std::size_t> sends, receives;  ///< operations in each channel
  std::vector<std::uint32_t> left_out;       ///< by Rank::left_out_operations; kNone: none
  std::vector<std::uint32_t> numbers;        ///< among the channels of all ranks
  std::uint64_t unmatched_sends = 0, unmatched_receives = 0;  ///< without a channel

private:
  static constexpr std::size_t kFewChannels = 16;
};

/// Of a channel whose other rank is not here: the operations of that rank.
struct FarOperations {
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint64_t> bytes;  ///< of sends
};

/// The channels of all ranks of this process. Those between two of its ranks come first, then those
/// with each other process, ascending, in an order that both know.
struct AllChannels {
  Channels channels;
  std::vector<IndexRange> with;    ///< by process; empty unless the trace is a part
  std::vector<FarOperations> far;  ///< by number, from first_far() on

  [[nodiscard]] std::size_t first_far() const {
    return with.empty() ? channels.all().size() : with.front().first;
  }
};

/// Finds the channels of one rank after the other.
class ChannelFinder {
public:
  explicit ChannelFinder(Trace& trace) : trace_(trace), known_(trace.shapes.size()) {}

  /// Stores the rank's own number of the channel of each send and receive in `message`.
  void find(std::uint32_t rank, RankChannels& into) {
    Rank& of = trace_.ranks[rank];
    if (of.operations.empty() && of.left_out_operations.empty()) return;
    peers_.assign(trace_.comms.size(), nullptr);
    find_left_out(rank, into);
    for (Operation& operation : of.operations) {
      operation.message = kNone;
      if (operation.kind == OperationKind::collective) continue;
      const bool sends = operation.kind == OperationKind::send;
      const std::uint32_t channel = channel_of(rank, operation, into);
      if (operation.cancelled) continue;
      if (channel != kNone) {
        operation.message = channel;
        ++(sends ? into.sends : into.receives)[channel];
      } else if (trace_.shapes[operation.shape].peer != PLAIT_NULL_PEER) {
        ++(sends ? into.unmatched_sends : into.unmatched_receives);
      }
    }
  }

private:
  /// The channel last found for a shape and rank; the next call usually has the same.
  struct Known {
    std::uint32_t rank = kNone;
    std::uint32_t channel = kNone;
    int partner = -1;
    int tag = 0;
    bool sends = false;
  };

  /// The world rank of the shape's `peer`; -1: none.
  int partner_of(std::uint32_t rank, const Shape& shape) {
    if (shape.peer < 0 || shape.comm >= trace_.comms.size()) return -1;
    const std::vector<int>*& peers = peers_[shape.comm];
    if (peers == nullptr) peers = &trace_.comms[shape.comm].peers_of(static_cast<int>(rank));
    const auto index = static_cast<std::size_t>(shape.peer);
    return index < peers->size() ? (*peers)[index] : -1;
  }

  /// The channel of a send or receive; kNone: it cannot have a partner.
  std::uint32_t channel_of(std::uint32_t rank, Operation& operation, RankChannels& into) {
    Known& known = known_[operation.shape];
    const Shape& shape = trace_.shapes[operation.shape];
    const bool named = !operation.wildcard && operation.partner < 0;
    const bool sends = operation.kind == OperationKind::send;
    if (known.rank == rank && known.sends == sends && operation.tag == known.tag &&
        (named || operation.partner == known.partner)) {
      operation.partner = known.partner;
      return known.channel;
    }
    if (named) operation.partner = partner_of(rank, shape);
    known = {rank, kNone, operation.partner, operation.tag, sends};
    const auto partner = static_cast<std::uint32_t>(operation.partner);
    if (operation.partner >= 0 && partner < trace_.ranks.size()) {
      known.channel =
          into.channels.number_of({shape.comm, sends ? rank : partner, sends ? partner : rank,
                                   operation.tag, (shape.flags & PLAIT_SHAPE_PARTITIONED) != 0});
      into.sends.resize(into.channels.all().size());
      into.receives.resize(into.channels.all().size());
    }
    return known.channel;
  }

  void find_left_out(std::uint32_t rank, RankChannels& into) {
    for (const LeftOutOperations& of : trace_.ranks[rank].left_out_operations) {
      std::uint32_t channel = kNone;
      if (of.kind != OperationKind::collective) {
        Operation one;
        one.kind = of.kind;
        one.shape = of.shape;
        one.partner = of.partner;
        one.tag = of.tag;
        one.wildcard = of.partner >= 0;  // its shape does not name the partner
        channel = channel_of(rank, one, into);
      }
      into.left_out.push_back(channel);
      if (channel != kNone) {
        ++(of.kind == OperationKind::send ? into.sends : into.receives)[channel];
      }
    }
  }

  Trace& trace_;
  std::vector<Known> known_;                    // by shape
  std::vector<const std::vector<int>*> peers_;  // of the current rank, by communicator
};

/// Matches some channels, ascending.
class ChannelMatcher {
public:
  ChannelMatcher(Trace& trace, const AllChannels& channels, const Posted& sends,
                 const Posted& receives, const IndexRange& range)
      : trace_(trace), channels_(channels), sends_(sends), receives_(receives), range_(range) {}

  /// Sets into[number + 1] to the number of messages of each channel.
  void count(std::vector<std::size_t>& into) {
    for (std::size_t number = range_.first; number < range_.last; ++number) {
      into[number + 1] = count_of(number);
    }
  }

  /// Writes the messages of these channels to Trace::messages.
  /// @param begins  the number of each channel's first message
  void write(const std::vector<std::size_t>& begins) {
    auto pair = pairs_.begin();
    for (std::size_t number = range_.first; number < range_.last; ++number) {
      const Channel& channel = channels_.channels.all()[number];
      const std::size_t count = begins[number + 1] - begins[number];
      if (number >= channels_.first_far()) {
        keep_own_ends(number, count, begins[number]);
        continue;
      }
      const bool simple = is_simple(channel);
      for (std::size_t i = 0; i < count; ++i) {
        const Pair of = simple ? Pair{sends_[number][i], receives_[number][i]} : *pair++;
        keep(channel, of, begins[number] + i);
      }
    }
  }

  /// Adds the operations without a partner.
  void add_alone() {
    trace_.unmatched_sends += unmatched_.sends;
    trace_.unmatched_receives += unmatched_.receives;
    trace_.untraced_sends += untraced_.sends;
    trace_.untraced_receives += untraced_.receives;
  }

private:
  struct Pair {
    std::uint32_t send, receive;
  };
  struct Alone {
    std::uint64_t sends = 0, receives = 0;
  };

  /// The n-th send belongs to the n-th receive, because nothing was left out or overwritten.
  [[nodiscard]] bool is_simple(const Channel& channel) const {
    const Rank& sender = trace_.ranks[channel.sender];
    const Rank& receiver = trace_.ranks[channel.receiver];
    return sender.overwritten_events == 0 && receiver.overwritten_events == 0 &&
           sender.left_out_operations.empty() && receiver.left_out_operations.empty();
  }

  /// Keeps the pairs of channels that are not simple.
  std::size_t count_of(std::size_t number) {
    const Channel& channel = channels_.channels.all()[number];
    const std::span<const std::uint32_t> sends = sends_[number], receives = receives_[number];
    if (number >= channels_.first_far()) {
      const std::size_t others = channels_.far[number - channels_.first_far()].numbers.size();
      const std::size_t most = std::max(sends.size(), receives.size());
      const std::size_t matched = std::min(most, others);
      (sends.empty() ? unmatched_.receives : unmatched_.sends) += most - matched;
      return matched;
    }
    std::size_t matched = std::min(sends.size(), receives.size());
    if (!is_simple(channel)) {
      const std::size_t before = pairs_.size();
      if (has_left_out(sends) || has_left_out(receives)) {
        match_numbered(channel, sends, receives);
        return pairs_.size() - before;
      }
      match_ends(channel, sends, receives);
      matched = pairs_.size() - before;
    }
    Alone& alone = trace_.ranks[channel.sender].left_out || trace_.ranks[channel.receiver].left_out
                       ? untraced_
                       : unmatched_;
    alone.sends += sends.size() - matched;
    alone.receives += receives.size() - matched;
    return matched;
  }

  /// Pairs the n-th send with the n-th receive. If a ring lost the first ones of either side,
  /// counts from the end instead. At the end of a killed program there may be receives that had not
  /// ended and sends that began after a receive had ended; they are skipped.
  void match_ends(const Channel& channel, std::span<const std::uint32_t> sends,
                  std::span<const std::uint32_t> receives) {
    const Rank& sender = trace_.ranks[channel.sender];
    const Rank& receiver = trace_.ranks[channel.receiver];
    if (sender.overwritten_events == 0 && receiver.overwritten_events == 0) {
      for (std::size_t i = 0; i < std::min(sends.size(), receives.size()); ++i) {
        pairs_.push_back({sends[i], receives[i]});
      }
      return;
    }
    const std::size_t before = pairs_.size();
    for (std::size_t s = sends.size(), r = receives.size(); s > 0 && r > 0;) {
      if (!receiver.complete && receiver.operations[receives[r - 1]].ended == kNone) {
        --r;
      } else if (begin_of(sender, sends[s - 1]) > end_of(receiver, receives[r - 1])) {
        --s;
      } else {
        pairs_.push_back({sends[--s], receives[--r]});
      }
    }
    std::reverse(pairs_.begin() + static_cast<std::ptrdiff_t>(before), pairs_.end());
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
    const auto alone = [this](std::int64_t number, const Numbered& others) -> Alone& {
      return number >= others.first && number < others.end ? untraced_ : unmatched_;
    };
    auto send = sent.operations.begin();
    auto receive = received.operations.begin();
    while (send != sent.operations.end() || receive != received.operations.end()) {
      const bool no_send = send == sent.operations.end();
      const bool no_receive = receive == received.operations.end();
      if (!no_send && !no_receive && send->first == receive->first) {
        pairs_.push_back({send++->second, receive++->second});
      } else if (no_receive || (!no_send && send->first < receive->first)) {
        ++alone(send++->first, received).sends;
      } else {
        ++alone(receive++->first, sent).receives;
      }
    }
  }

  /// Stores a message, and its number in its operations.
  void keep(const Channel& channel, const Pair& of, std::size_t number) {
    trace_.messages[number] = {channel.sender, channel.receiver, of.send, of.receive};
    Operation& send = trace_.ranks[channel.sender].operations[of.send];
    Operation& receive = trace_.ranks[channel.receiver].operations[of.receive];
    send.message = receive.message = static_cast<std::uint32_t>(number);
    receive.bytes = send.bytes;
  }

  /// Stores messages between an own rank and one of another process: the n-th send belongs to the
  /// n-th receive, as in all parts of traces.
  void keep_own_ends(std::size_t number, std::size_t count, std::size_t first) {
    const Channel& channel = channels_.channels.all()[number];
    const FarOperations& far = channels_.far[number - channels_.first_far()];
    const bool sends = trace_.has(channel.sender);
    Rank& own = trace_.ranks[sends ? channel.sender : channel.receiver];
    const std::span<const std::uint32_t> numbers = sends ? sends_[number] : receives_[number];
    for (std::size_t i = 0; i < count; ++i) {
      Operation& operation = own.operations[numbers[i]];
      operation.message = static_cast<std::uint32_t>(first + i);
      if (!sends) operation.bytes = far.bytes[i];
      trace_.messages[first + i] = {channel.sender, channel.receiver,
                                    sends ? numbers[i] : far.numbers[i],
                                    sends ? far.numbers[i] : numbers[i]};
    }
  }

  static std::int64_t begin_of(const Rank& rank, std::uint32_t number) {
    const Operation& at = rank.operations[number];
    return rank.streams[at.stream].events[at.started].begin;
  }

  static std::int64_t end_of(const Rank& rank, std::uint32_t number) {
    const Operation& at = rank.operations[number];
    return at.ended == kNone ? rank.end : rank.streams[at.end_stream].events[at.ended].end;
  }

  Trace& trace_;
  const AllChannels& channels_;
  const Posted& sends_;
  const Posted& receives_;
  IndexRange range_;
  std::vector<Pair> pairs_;
  Alone unmatched_, untraced_;
};

/// The process that has the other rank of a channel of a part.
std::size_t process_with(const Trace& trace, const Channel& channel) {
  const std::size_t other = trace.has(channel.sender) ? channel.receiver : channel.sender;
  return range_of(trace.shares, other);
}

/// Numbers the channels of all ranks: by rank, then in the order of their first use; those with
/// other processes behind all others.
AllChannels number_channels(const Trace& trace, std::vector<RankChannels>& ranks) {
  AllChannels all;
  std::vector<Channel> far;
  for (const RankChannels& of : ranks) {
    for (const Channel& channel : of.channels.all()) {
      if (trace.has(channel.sender) && trace.has(channel.receiver)) {
        all.channels.number_of(channel);
      } else {
        far.push_back(channel);
      }
    }
  }
  std::ranges::sort(far, {}, [&](const Channel& of) {
    return std::tuple(process_with(trace, of), of.comm, of.sender, of.receiver, of.tag,
                      of.partitioned);
  });
  for (std::size_t process = 0; trace.is_part && process < trace.shares.size(); ++process) {
    const std::size_t first = all.channels.all().size();
    all.with.push_back({first, first});
  }
  for (const Channel& channel : far) {
    const std::size_t process = process_with(trace, channel);
    const std::size_t end = all.channels.number_of(channel) + std::size_t{1};
    all.with[process].last = end;
    for (std::size_t next = process + 1; next < all.with.size(); ++next)
      all.with[next] = {end, end};
  }
  all.far.resize(all.channels.all().size() - all.first_far());
  for (RankChannels& of : ranks) {
    of.numbers.reserve(of.channels.all().size());
    for (const Channel& channel : of.channels.all()) {
      of.numbers.push_back(all.channels.number_of(channel));
    }
  }
  return all;
}

/// Collective. Tells the other processes what this one posted in the channels with them, and fills
/// AllChannels::far with what they did.
void exchange_far(const Trace& trace, const Posted& sends, const Posted& receives,
                  Processes& processes, AllChannels& all) {
  std::vector<std::string> to;
  for (const IndexRange& with : all.with) {
    BytesWriter text;
    for (std::size_t number = with.first; number < with.last; ++number) {
      const Channel& channel = all.channels.all()[number];
      const bool sent = trace.has(channel.sender);
      const std::span<const std::uint32_t> own = sent ? sends[number] : receives[number];
      FarOperations of{{own.begin(), own.end()}, {}};
      for (std::size_t i = 0; sent && i < own.size(); ++i) {
        of.bytes.push_back(trace.ranks[channel.sender].operations[own[i]].bytes);
      }
      text(channel, of.numbers, of.bytes);
    }
    to.push_back(text.take());
  }
  for (const std::string& text : processes.swap(std::move(to))) {
    BytesReader reader(text);
    while (reader.more()) {
      Channel channel;
      FarOperations of;
      reader(channel, of.numbers, of.bytes);
      if (const std::uint32_t number = all.channels.find(channel); number != kNone) {
        all.far[number - all.first_far()] = std::move(of);
      }
    }
  }
}

/// Puts the operations of a rank into their channels. No other rank sends (or receives) there.
void put_operations(Rank& rank, const RankChannels& channels, Posted& sends, Posted& receives) {
  in_posting_order(rank, [&](std::uint32_t number) {
    if ((number & kLeftOut) != 0) {
      const std::uint32_t index = number & ~kLeftOut;
      const std::uint32_t channel = channels.left_out[index];
      if (channel == kNone) return;
      const bool is_send = rank.left_out_operations[index].kind == OperationKind::send;
      (is_send ? sends : receives).put(channels.numbers[channel], number);
      return;
    }
    Operation& at = rank.operations[number];
    if (at.kind == OperationKind::collective || at.message == kNone) return;
    (at.kind == OperationKind::send ? sends : receives).put(channels.numbers[at.message], number);
    at.message = kNone;
  });
}

}  // namespace

void match_messages(Trace& trace, unsigned threads, Processes* processes) {
  const IndexRange own = trace.ranks_here();
  std::vector<RankChannels> ranks(own.last - own.first);
  const std::vector<IndexRange> rank_ranges = ranges_of(ranks.size(), threads);
  const auto for_ranks = [&](auto use) {
    for_each_index(
        rank_ranges.size(), [&](std::size_t i) { use(rank_ranges[i]); }, threads);
  };
  for_ranks([&](const IndexRange& range) {
    ChannelFinder finder(trace);
    for (std::size_t rank = range.first; rank < range.last; ++rank) {
      finder.find(static_cast<std::uint32_t>(own.first + rank), ranks[rank]);
    }
  });
  AllChannels channels = number_channels(trace, ranks);
  const std::size_t count = channels.channels.all().size();
  Posted sends(count), receives(count);
  for (const RankChannels& of : ranks) {
    for (std::size_t number = 0; number < of.numbers.size(); ++number) {
      // Only one rank sends in a channel, and only one receives.
      if (of.sends[number] > 0) sends.count(of.numbers[number], of.sends[number]);
      if (of.receives[number] > 0) receives.count(of.numbers[number], of.receives[number]);
    }
    trace.unmatched_sends += of.unmatched_sends;
    trace.unmatched_receives += of.unmatched_receives;
  }
  sends.lay_out();
  receives.lay_out();
  for_ranks([&](const IndexRange& range) {
    for (std::size_t rank = range.first; rank < range.last; ++rank) {
      put_operations(trace.ranks[own.first + rank], ranks[rank], sends, receives);
    }
  });
  if (trace.is_part) exchange_far(trace, sends, receives, *processes, channels);
  std::vector<ChannelMatcher> matchers;
  for (const IndexRange& range : ranges_of(count, threads)) {
    matchers.emplace_back(trace, channels, sends, receives, range);
  }
  std::vector<std::size_t> begins(count + 1, 0);  // of the messages of each channel
  for_each_index(
      matchers.size(), [&](std::size_t i) { matchers[i].count(begins); }, threads);
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  trace.messages.clear();
  trace.messages.resize(begins.back());
  for_each_index(
      matchers.size(), [&](std::size_t i) { matchers[i].write(begins); }, threads);
  for (ChannelMatcher& of : matchers) of.add_alone();
  trace.messages_with.clear();
  for (const IndexRange& with : channels.with) {
    trace.messages_with.push_back({begins[with.first], begins[with.last]});
  }
  // Both processes have a message between them, but the receiver's counts it.
  const auto received = std::ranges::count_if(
      trace.messages, [&](const Message& message) { return trace.has(message.receiver); });
  std::vector<std::uint64_t> counts{static_cast<std::uint64_t>(received), trace.unmatched_sends,
                                    trace.unmatched_receives};
  if (trace.is_part) combine(processes, counts, [](auto one, auto& sum) { sum += one; });
  trace.message_count = counts[0];
  trace.unmatched_sends = counts[1];
  trace.unmatched_receives = counts[2];
}

}  // namespace plait::trace
