// SPDX-License-Identifier: BSD-3-Clause
// Message statistics by size and pair, compared with measured path rates.
#include "analysis/message_profile.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/message_ends.hpp"
#include "analysis/shared_medians.hpp"
#include "analysis/shares.hpp"
#include "analysis/size_classes.hpp"
#include "base/statistics.hpp"
#include "plait/error.hpp"
#include "replay/path_cost.hpp"

namespace plait::analysis {
namespace {

using trace::kNone;

constexpr double kSlow = 0.25;
constexpr std::uint64_t kFewest = 10;
constexpr std::uint64_t kFewestBytes = std::uint64_t{1} << 20;
/// Fraction of a transfer; with more time outside MPI, its rate does not show the path's speed.
constexpr double kUnattended = 0.1;
constexpr std::size_t kPairs = 4096;
constexpr std::size_t kSlowShown = 32;

/// One message in transit, ns.
struct Transfer {
  std::int64_t begin = 0;  ///< the later begin of send and receive
  std::int64_t end = 0;    ///< of the call that completed the receive
  /// The longer time that sender or receiver spent outside the calls that move the message.
  std::int64_t unattended = 0;
  std::uint32_t together = 1;  ///< operations that the completing call ended
};

/// How long the rank was in no call that moves the transfer, which begins at `begin`, ns.
std::int64_t outside(const MessageEnd& of, std::int64_t begin) {
  if (of.completed_at == MessageEnd::kNotYet) return 0;
  return std::max<std::int64_t>(0, of.completed_at - std::max(begin, of.end));
}

/// The transit of a message; empty when the end of the receive was not recorded.
std::optional<Transfer> transfer_of(const trace::Rank& receiver, const trace::Operation& receive,
                                    const MessageEnd& sent, const MessageEnd& received) {
  if (receive.ended == kNone) return {};
  const trace::Event& end = receiver.streams[receive.end_stream].events[receive.ended];
  Transfer transfer;
  transfer.begin = std::max(sent.begin, received.begin);
  transfer.end = std::max(transfer.begin, end.end);
  transfer.unattended = std::max(outside(sent, transfer.begin), outside(received, transfer.begin));
  // The operations of one Waitall move concurrently.
  transfer.together =
      static_cast<std::uint32_t>(std::max<std::size_t>(1, receiver.completed_by(end).size()));
  return transfer;
}

struct ClassSum {
  std::uint64_t count = 0, bytes = 0;
  std::int64_t ns = 0;

  void operator+=(const ClassSum& other) {
    count += other.count;
    bytes += other.bytes;
    ns += other.ns;
  }
};

/// Alike messages that are slow.
struct Slow {
  double lost_s = 0;
  SlowTransfer of;
};

/// The messages to some ranks.
struct Traffic {
  std::uint64_t messages = 0, bytes = 0;
  std::vector<ClassSum> classes;   ///< by size, then inside or between nodes
  std::vector<PairTraffic> pairs;  ///< as in MessageProfile
  std::vector<Slow> slow;          ///< as in MessageProfile
};

template <class Archive>
void fields(Archive& archive, Traffic& of) {
  archive(of.messages, of.bytes, of.classes, of.pairs, of.slow);
}

/// Keeps the first ones in the order of results.
void cut(Traffic& of) {
  std::ranges::sort(of.pairs, [](const PairTraffic& a, const PairTraffic& b) {
    return std::tie(b.bytes, b.count, a.from, a.to) < std::tie(a.bytes, a.count, b.from, b.to);
  });
  of.pairs.resize(std::min(kPairs, of.pairs.size()));
  std::ranges::sort(of.slow, [](const Slow& a, const Slow& b) {
    return std::tie(b.lost_s, a.of.from, a.of.to, a.of.site, a.of.bytes) <
           std::tie(a.lost_s, b.of.from, b.of.to, b.of.site, b.of.bytes);
  });
  of.slow.resize(std::min(kSlowShown, of.slow.size()));
}

/// Adds the messages to other ranks.
void merge(const Traffic& other, Traffic& sum) {
  sum.messages += other.messages;
  sum.bytes += other.bytes;
  for (std::size_t i = 0; i < sum.classes.size(); ++i) sum.classes[i] += other.classes[i];
  sum.pairs.insert(sum.pairs.end(), other.pairs.begin(), other.pairs.end());
  sum.slow.insert(sum.slow.end(), other.slow.begin(), other.slow.end());
  cut(sum);
}

/// Lists of each class: the rates and the sizes of its messages.
using ClassLists = std::vector<std::vector<float>>;
constexpr std::size_t kListsOfClass = 2;

struct Paths {
  std::optional<replay::Network> measured;
  SizeClasses sizes;
};

/// Profiles some messages.
class Profiler {
public:
  Profiler(const trace::Trace& trace, const MessageEnds& ends, const Paths& paths)
      : trace_(trace),
        ends_(ends),
        paths_(paths),
        classes_(2 * (paths.sizes.limits.size() + 1)),
        lists_(kListsOfClass * classes_.size()) {}

  /// Adds those of a range that own ranks receive. Neighbours in the list are so in memory.
  void add(const IndexRange& messages) {
    const IndexRange own = trace_.own_ranks();
    for (std::size_t number = messages.first; number < messages.last; ++number) {
      const std::uint32_t receiver = trace_.messages[number].receiver;
      if (receiver >= own.first && receiver < own.last) add(static_cast<std::uint32_t>(number));
    }
  }

  void add(Profiler other) {
    sum_.messages += other.sum_.messages;
    sum_.bytes += other.sum_.bytes;
    for (std::size_t i = 0; i < classes_.size(); ++i) classes_[i] += other.classes_[i];
    for (std::size_t i = 0; i < lists_.size(); ++i) append(other.lists_[i], lists_[i]);
    for (const auto& [ranks, pair] : other.pairs_) pairs_[ranks] += pair;
    append(other.attended_, attended_);
  }

  Traffic finish() {
    sum_.classes = classes_;
    for (const auto& [ranks, pair] : pairs_) {
      sum_.pairs.push_back({static_cast<int>(ranks >> 32), static_cast<int>(ranks & 0xffffffffU),
                            pair.count, pair.bytes, to_seconds(pair.ns)});
    }
    find_slow();
    cut(sum_);
    return std::move(sum_);
  }
  ClassLists& lists() { return lists_; }

private:
  /// A message during which sender and receiver were in MPI.
  struct Attended {
    std::uint32_t from, to, site;
    float seconds;  ///< its share of the completing call
    std::uint64_t bytes;
    bool between_nodes;

    [[nodiscard]] auto key() const { return std::tie(from, to, site, bytes); }
  };

  template <class Value>
  static void append(const std::vector<Value>& more, std::vector<Value>& all) {
    all.insert(all.end(), more.begin(), more.end());
  }

  void add(std::uint32_t number) {
    const auto& [from, to, send, of_receiver] = trace_.messages[number];
    const trace::Operation& receive = trace_.ranks[to].operations[of_receiver];
    const MessageEnd sent = ends_.sender(number);
    ++sum_.messages;
    sum_.bytes += sent.bytes;
    ClassSum& pair = pairs_[(std::uint64_t{from} << 32) | to];
    ClassSum one{1, sent.bytes, 0};
    const std::optional<Transfer> transfer =
        transfer_of(trace_.ranks[to], receive, sent, ends_.receiver(number));
    if (transfer) one.ns = transfer->end - transfer->begin;
    pair += one;
    if (!transfer) return;
    const bool between_nodes = trace_.ranks[from].node != trace_.ranks[to].node;
    const std::size_t of_class =
        2 * paths_.sizes.of(sent.bytes) + static_cast<std::size_t>(between_nodes);
    classes_[of_class] += one;
    const double time = to_seconds(one.ns);
    if (time > 0) {
      lists_[kListsOfClass * of_class].push_back(
          static_cast<float>(static_cast<double>(sent.bytes) / time));
    }
    lists_[kListsOfClass * of_class + 1].push_back(static_cast<float>(sent.bytes));
    if (paths_.measured && sent.bytes > 0 &&
        to_seconds(transfer->unattended) <= kUnattended * time) {
      attended_.push_back({from, to, trace_.shapes[receive.shape].site,
                           static_cast<float>(time / transfer->together), sent.bytes,
                           between_nodes});
    }
  }

  void find_slow() {
    std::ranges::sort(attended_, {}, &Attended::key);
    for (std::size_t first = 0, last = 0; first < attended_.size(); first = last) {
      std::vector<double> times;
      for (last = first; last < attended_.size() && attended_[last].key() == attended_[first].key();
           ++last) {
        times.push_back(attended_[last].seconds);
      }
      const Attended& of = attended_[first];
      const auto expected = measured_time(paths_.measured, of.between_nodes, of.bytes);
      const std::uint64_t count = last - first;
      if (!expected || *expected <= 0 || count < kFewest || count * of.bytes < kFewestBytes) {
        continue;
      }
      const double time = median(times);
      if (*expected >= kSlow * time) continue;
      const auto bytes = static_cast<double>(of.bytes);
      sum_.slow.push_back({(time - *expected) * static_cast<double>(count),
                           {static_cast<int>(of.from), static_cast<int>(of.to), of.bytes, count,
                            bytes / time, bytes / *expected, of.site}});
    }
  }

  const trace::Trace& trace_;
  const MessageEnds& ends_;
  const Paths& paths_;
  Traffic sum_;
  std::vector<ClassSum> classes_;
  ClassLists lists_;
  std::unordered_map<std::uint64_t, ClassSum> pairs_;  // by sender and receiver
  std::vector<Attended> attended_;
};

/// The classes with messages.
std::vector<MessageClass> classes_of(const Traffic& all, const std::vector<float>& medians,
                                     const Paths& paths) {
  std::vector<MessageClass> classes;
  for (std::size_t i = 0; i < all.classes.size(); ++i) {
    const ClassSum& sum = all.classes[i];
    if (sum.count == 0) continue;
    MessageClass& of = classes.emplace_back();
    of.from_bytes = paths.sizes.from(i / 2);
    of.to_bytes = paths.sizes.to(i / 2);
    of.count = sum.count;
    of.bytes = sum.bytes;
    of.seconds = to_seconds(sum.ns);
    of.between_nodes = i % 2 == 1;
    of.rate = medians[kListsOfClass * i];
    const auto size = static_cast<std::uint64_t>(medians[kListsOfClass * i + 1]);
    const auto time = measured_time(paths.measured, of.between_nodes, size);
    if (time && *time > 0) of.path_rate = static_cast<double>(size) / *time;
  }
  return classes;
}

}  // namespace

std::optional<replay::Network> paths_of(const machine::Measured* measured) {
  if (measured == nullptr) return {};
  try {
    return replay::machine_network(*measured, "machine.json");
  } catch (const Error&) {
    return {};  // no path was measured
  }
}

std::optional<double> measured_time(const std::optional<replay::Network>& paths, bool between_nodes,
                                    std::uint64_t bytes) {
  if (!paths) return {};
  const replay::Path& path = between_nodes ? paths->between_nodes : paths->within_node;
  if (!path.known) return {};
  return replay::latency(path, bytes) + replay::occupancy(path, bytes) +
         2 * replay::overhead(path, bytes);
}

MessageProfile profile_messages(const trace::Trace& trace, const Waits& waits,
                                const machine::Measured* measured, unsigned threads,
                                Processes* processes) {
  const Paths paths{paths_of(measured), size_classes(measured)};
  const std::vector<IndexRange> ranges = ranges_of(trace.messages.size(), threads);
  std::vector<Profiler> parts(ranges.size() + 1, Profiler(trace, *waits.messages, paths));
  for_each_index(
      ranges.size(), [&](std::size_t i) { parts[i].add(ranges[i]); }, threads);
  Profiler profiler = std::move(parts.back());
  parts.pop_back();
  for (Profiler& part : parts) profiler.add(std::move(part));
  Traffic none;
  none.classes.resize(2 * (paths.sizes.limits.size() + 1));
  const Traffic all =
      sum_of_processes(processes, none, profiler.finish(),
                       [](const Traffic& other, Traffic& sum) { merge(other, sum); });
  MessageProfile result;
  result.messages = all.messages;
  result.bytes = all.bytes;
  result.classes = classes_of(all, shared_medians(profiler.lists(), threads, processes), paths);
  result.pairs = all.pairs;
  for (const Slow& slow : all.slow) result.slow.push_back(slow.of);
  return result;
}

}  // namespace plait::analysis
