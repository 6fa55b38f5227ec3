// SPDX-License-Identifier: BSD-3-Clause
// Message statistics by size and pair, compared with measured path rates.
#include "analysis/message_profile.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "analysis/lanes.hpp"
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

const trace::Event* end_of(const trace::Rank& rank, const trace::Operation& of) {
  return of.ended == kNone ? nullptr : &rank.streams[of.end_stream].events[of.ended];
}

/// How long the rank was in no call that moves the transfer, which begins at `begin`, ns.
std::int64_t outside(const trace::Rank& rank, const trace::Operation& of, std::int64_t begin) {
  const trace::Event* end = end_of(rank, of);
  if (end == nullptr) return 0;
  const std::int64_t started = rank.streams[of.stream].events[of.started].end;
  return std::max<std::int64_t>(0, end->begin - std::max(begin, started));
}

class Profiler {
public:
  Profiler(const trace::Trace& trace, const machine::Measured* measured)
      : trace_(trace), paths_(paths_of(measured)), sizes_(size_classes(measured)) {}

  MessageProfile profile() {
    classes_.resize(2 * (sizes_.limits.size() + 1));
    for (const trace::Message& message : trace_.messages) add(message);
    finish_classes();
    finish_pairs();
    find_slow();
    return std::move(profile_);
  }

private:
  struct ClassRates {
    MessageClass sum;
    std::vector<float> rates, sizes;
  };
  /// A message during which sender and receiver were in MPI.
  struct Attended {
    std::uint32_t from, to, site;
    float seconds;  ///< its share of the completing call
    std::uint64_t bytes;
    bool between_nodes;

    [[nodiscard]] auto key() const { return std::tie(from, to, site, bytes); }
  };

  void add(const trace::Message& message) {
    const trace::Operation& send = trace_.ranks[message.sender].operations[message.send];
    const trace::Operation& receive = trace_.ranks[message.receiver].operations[message.receive];
    ++profile_.messages;
    profile_.bytes += send.bytes;
    PairTraffic& pair = pairs_[(std::uint64_t{message.sender} << 32) | message.receiver];
    ++pair.count;
    pair.bytes += send.bytes;
    const std::optional<Transfer> transfer = transfer_of(trace_, message);
    if (!transfer) return;
    const double time = to_seconds(transfer->end - transfer->begin);
    pair.seconds += time;
    ClassRates& of =
        classes_[2 * sizes_.of(send.bytes) + static_cast<std::size_t>(transfer->between_nodes)];
    ++of.sum.count;
    of.sum.bytes += send.bytes;
    of.sum.seconds += time;
    of.sizes.push_back(static_cast<float>(send.bytes));
    if (time > 0) of.rates.push_back(static_cast<float>(static_cast<double>(send.bytes) / time));
    if (paths_ && send.bytes > 0 && to_seconds(transfer->unattended) <= kUnattended * time) {
      attended_.push_back({message.sender, message.receiver, trace_.shapes[receive.shape].site,
                           static_cast<float>(time / transfer->together), send.bytes,
                           transfer->between_nodes});
    }
  }

  static double middle(std::vector<float>& values) {
    if (values.empty()) return 0;
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }

  void finish_classes() {
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      ClassRates& of = classes_[i];
      if (of.sum.count == 0) continue;
      of.sum.from_bytes = sizes_.from(i / 2);
      of.sum.to_bytes = sizes_.to(i / 2);
      of.sum.between_nodes = i % 2 == 1;
      of.sum.rate = middle(of.rates);
      const auto size = static_cast<std::uint64_t>(middle(of.sizes));
      const auto time = measured_time(paths_, of.sum.between_nodes, size);
      if (time && *time > 0) of.sum.path_rate = static_cast<double>(size) / *time;
      profile_.classes.push_back(of.sum);
    }
  }

  void finish_pairs() {
    for (auto& [ranks, pair] : pairs_) {
      pair.from = static_cast<int>(ranks >> 32);
      pair.to = static_cast<int>(ranks & 0xffffffffU);
      profile_.pairs.push_back(pair);
    }
    std::ranges::sort(profile_.pairs, [](const PairTraffic& a, const PairTraffic& b) {
      return std::tie(b.bytes, b.count, a.from, a.to) < std::tie(a.bytes, a.count, b.from, b.to);
    });
    if (profile_.pairs.size() > kPairs) profile_.pairs.resize(kPairs);
  }

  void find_slow() {
    if (!paths_) return;
    std::ranges::sort(attended_, {}, &Attended::key);
    std::vector<std::pair<double, SlowTransfer>> found;  // with their lost time
    for (std::size_t first = 0, last = 0; first < attended_.size(); first = last) {
      std::vector<double> times;
      for (last = first; last < attended_.size() && attended_[last].key() == attended_[first].key();
           ++last) {
        times.push_back(attended_[last].seconds);
      }
      const Attended& of = attended_[first];
      const auto expected = measured_time(paths_, of.between_nodes, of.bytes);
      const std::uint64_t count = last - first;
      if (!expected || *expected <= 0 || count < kFewest || count * of.bytes < kFewestBytes) {
        continue;
      }
      const double time = median(times);
      if (*expected >= kSlow * time) continue;
      const auto bytes = static_cast<double>(of.bytes);
      found.push_back({(time - *expected) * static_cast<double>(count),
                       {static_cast<int>(of.from), static_cast<int>(of.to), of.bytes, count,
                        bytes / time, bytes / *expected, of.site}});
    }
    std::ranges::stable_sort(found, std::ranges::greater{},
                             [](const auto& one) { return one.first; });
    for (std::size_t i = 0; i < std::min(kSlowShown, found.size()); ++i) {
      profile_.slow.push_back(found[i].second);
    }
  }

  const trace::Trace& trace_;
  std::optional<replay::Network> paths_;
  SizeClasses sizes_;
  MessageProfile profile_;
  std::vector<ClassRates> classes_;  // by size, then inside or between nodes
  std::unordered_map<std::uint64_t, PairTraffic> pairs_;
  std::vector<Attended> attended_;
};

}  // namespace

std::optional<Transfer> transfer_of(const trace::Trace& trace, const trace::Message& message) {
  const trace::Rank& sender = trace.ranks[message.sender];
  const trace::Rank& receiver = trace.ranks[message.receiver];
  const trace::Operation& send = sender.operations[message.send];
  const trace::Operation& receive = receiver.operations[message.receive];
  const trace::Event* end = end_of(receiver, receive);
  if (end == nullptr) return {};
  Transfer transfer;
  transfer.begin = std::max(sender.streams[send.stream].events[send.started].begin,
                            receiver.streams[receive.stream].events[receive.started].begin);
  transfer.end = std::max(transfer.begin, end->end);
  transfer.unattended =
      std::max(outside(sender, send, transfer.begin), outside(receiver, receive, transfer.begin));
  transfer.between_nodes = sender.node != receiver.node;
  // The operations of one Waitall move concurrently.
  transfer.together =
      static_cast<std::uint32_t>(std::max<std::size_t>(1, receiver.completed_by(*end).size()));
  return transfer;
}

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

MessageProfile profile_messages(const trace::Trace& trace, const machine::Measured* measured) {
  return Profiler(trace, measured).profile();
}

}  // namespace plait::analysis
