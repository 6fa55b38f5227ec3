// SPDX-License-Identifier: BSD-3-Clause
// Finds wait states.
#include "analysis/wait_states.hpp"

#include <algorithm>

#include "analysis/collective_arrivals.hpp"
#include "analysis/epoch_arrivals.hpp"
#include "analysis/message_ends.hpp"
#include "analysis/shares.hpp"
#include "analysis/state_sums.hpp"
#include "base/parallel.hpp"

namespace plait::analysis {
namespace {

using trace::EventKind;
using trace::kNone;
using trace::OperationKind;

/// How many calls after a Probe are searched for the receive of what it found.
constexpr std::uint32_t kReceiveBehindProbe = 4;

class Finder {
public:
  Finder(const trace::Trace& trace, const Lanes& lanes, unsigned threads, Processes* processes)
      : trace_(trace),
        lanes_(lanes),
        threads_(threads),
        processes_(processes),
        messages_(std::make_shared<MessageEnds>(trace, lanes, processes)),
        collectives_(
            std::make_shared<CollectiveArrivals>(trace, lanes, *messages_, threads, processes)),
        epochs_(trace, lanes) {}

  Waits find() {
    find_largest_buffered();
    find_smallest_held();
    waits_.of.resize(lanes_.all.size());
    find_last();
    find_shares();
    add_up();
    waits_.collectives = collectives_;
    waits_.messages = messages_;
    return std::move(waits_);
  }

private:
  /// Each process finds the waits of its lanes.
  void find_shares() {
    const Shares shares(lanes_.shares, processes_, threads_);
    shares.for_own([&](const IndexRange& range) {
      std::vector<Wait> waits;
      for (std::size_t lane = range.first; lane < range.last; ++lane) find_waits_of(lane, waits);
    });
  }

  void add_up() {
    waits_.sums.resize(lanes_.all.size());
    for_each_index(
        lanes_.own.last - lanes_.own.first,
        [&](std::size_t i) {
          const std::size_t lane = lanes_.own.first + i;
          std::vector<std::int64_t>& sums = waits_.sums[lane];
          sums.reserve(waits_.of[lane].size() + 1);
          sums.push_back(0);
          for (const Wait& wait : waits_.of[lane]) {
            sums.push_back(sums.back() + wait.end - wait.begin);
          }
        },
        threads_);
  }

  /// An arrival that a call may have waited for; the last one counts.
  struct Candidate {
    Arrival by;
    WaitKind kind = WaitKind::late_sender;
  };

  [[nodiscard]] bool between_nodes(const trace::Message& message) const {
    return trace_.ranks[message.sender].node != trace_.ranks[message.receiver].node;
  }

  /// By how much the times at both ends of a message may differ, ns.
  [[nodiscard]] std::int64_t clock_error(const trace::Message& message) const {
    return between_nodes(message) ? static_cast<std::int64_t>(2e9 * trace_.clock_error_s) : 0;
  }

  /// Calls use(message, result) for all messages that own ranks sent, on several threads, with
  /// results of their own.
  /// @returns the results
  template <class Result, class Use>
  std::vector<Result> for_messages(Use use) const {
    const std::vector<IndexRange> ranges = ranges_of(trace_.messages.size(), threads_);
    std::vector<Result> results(ranges.size());
    for_each_index(
        ranges.size(),
        [&](std::size_t i) {
          for (std::size_t message = ranges[i].first; message < ranges[i].last; ++message) {
            if (!trace_.has(trace_.messages[message].sender)) continue;
            use(static_cast<std::uint32_t>(message), results[i]);
          }
        },
        threads_);
    return results;
  }

  /// A send that ended before its receive began was buffered.
  [[nodiscard]] bool is_buffered(std::uint32_t number) const {
    const trace::Message& message = trace_.messages[number];
    const trace::Rank& sender = trace_.ranks[message.sender];
    const trace::Operation& send = sender.operations[message.send];
    const std::uint32_t flags = trace_.shapes[send.shape].flags;
    if (send.ended == kNone || send.freed || send.cancelled ||
        (flags & PLAIT_SHAPE_BUFFERED) != 0) {
      return false;
    }
    const std::int64_t end = sender.streams[send.end_stream].events[send.ended].end;
    const Arrival receive = messages_->arrival_of_receiver(number);
    return receive.lane != kNone && receive.time - end > clock_error(message);
  }

  [[nodiscard]] std::uint64_t bytes_of(const trace::Message& message) const {
    return trace_.ranks[message.sender].operations[message.send].bytes;
  }

  /// Of messages inside a node and between nodes.
  using BothPaths = std::array<std::uint64_t, 2>;

  void find_largest_buffered() {
    const auto results = for_messages<BothPaths>([&](std::uint32_t number, auto& largest) {
      const trace::Message& message = trace_.messages[number];
      std::uint64_t& of = largest[between_nodes(message) ? 1 : 0];
      const std::uint64_t bytes = bytes_of(message);
      if (bytes > of && is_buffered(number)) of = bytes;
    });
    for (const BothPaths& largest : results) {
      for (const std::size_t path : {0U, 1U}) {
        waits_.largest_buffered[path] = std::max(waits_.largest_buffered[path], largest[path]);
      }
    }
    if (!trace_.is_part) return;
    std::vector<BothPaths> all{waits_.largest_buffered};
    combine(processes_, all, [](const BothPaths& one, BothPaths& largest) {
      for (const std::size_t path : {0U, 1U}) largest[path] = std::max(largest[path], one[path]);
    });
    waits_.largest_buffered = all.front();
  }

  /// True if a call that has nothing else to do waits until the receive of this send begins.
  [[nodiscard]] bool is_held(std::uint32_t number) const {
    const trace::Message& message = trace_.messages[number];
    const trace::Rank& sender = trace_.ranks[message.sender];
    const trace::Operation& send = sender.operations[message.send];
    const std::uint32_t flags = trace_.shapes[send.shape].flags;
    constexpr std::uint32_t kNoEvidence = PLAIT_SHAPE_BUFFERED | PLAIT_SHAPE_SYNCHRONOUS;
    if (send.ended == kNone || send.freed || send.cancelled || (flags & kNoEvidence) != 0) {
      return false;
    }
    const trace::Event& event = sender.streams[send.end_stream].events[send.ended];
    const EventKind kind = trace_.shape(event).kind;
    const bool alone = kind == EventKind::send ||
                       (kind == EventKind::complete && sender.completed_by(event).size() == 1);
    const Lanes::Place place = lanes_.place_of(message.sender, send.end_stream, send.ended);
    const Arrival receive = messages_->arrival_of_receiver(number);
    if (!alone || place.lane == kNone || receive.lane == kNone) return false;
    const std::int64_t copying = slow_copy_ns(send.bytes);
    const std::int64_t error = clock_error(message);
    const std::int64_t stalled = lanes_.all[place.lane].stalled_in(place.call);
    return receive.time - event.begin > kSurelyWaits + copying + error + stalled &&
           event.end >= receive.time - error;
  }

  /// The two shortest lengths on a path.
  struct Shortest {
    std::uint64_t first = ~std::uint64_t{0}, second = ~std::uint64_t{0};

    void add(std::uint64_t bytes) {
      if (bytes >= second) return;
      second = std::max(first, bytes);
      first = std::min(first, bytes);
    }
    void add(const Shortest& other) {
      add(other.first);
      add(other.second);
    }
  };

  void find_smallest_held() {
    using Both = std::array<Shortest, 2>;
    const auto results = for_messages<Both>([&](std::uint32_t number, Both& shortest) {
      const trace::Message& message = trace_.messages[number];
      const std::size_t path = between_nodes(message) ? 1 : 0;
      const std::uint64_t bytes = bytes_of(message);
      if (bytes > waits_.largest_buffered[path] && bytes < shortest[path].second &&
          is_held(number)) {
        shortest[path].add(bytes);
      }
    });
    const auto add = [](const Both& one, Both& sum) {
      for (const std::size_t path : {0U, 1U}) sum[path].add(one[path]);
    };
    std::vector<Both> all(1);
    for (const Both& shortest : results) add(shortest, all.front());
    if (trace_.is_part) combine(processes_, all, add);
    for (const std::size_t path : {0U, 1U}) waits_.smallest_held[path] = all.front()[path].second;
  }

  void find_last() {
    for (const std::uint32_t main : lanes_.main_of) {
      if (main == kNone) continue;
      const Lane& lane = lanes_.all[main];
      if (last_.lane != kNone && lane.end <= last_.time) continue;
      last_ = {lane.end, main, lane.call_count - 1};
    }
  }

  /// @param waits  memory for them, which has room from lanes before
  void find_waits_of(std::size_t number, std::vector<Wait>& waits) {
    const Lane& lane = lanes_.all[number];
    waits.clear();
    for (std::uint32_t i = 0; i < lane.calls.size(); ++i) {
      const Call& call = lane.calls[i];
      if (call.end == call.begin) continue;
      const Candidate last = last_awaited(lane, static_cast<std::uint32_t>(number), i);
      if (last.by.lane == kNone || last.by.lane == number || last.by.time <= call.begin) continue;
      const std::int64_t end = std::min(last.by.time, call.end);
      waits.push_back({call.begin, end, i, last.by.lane, last.by.call, last.kind});
    }
    waits_.of[number] = waits;
  }

  [[nodiscard]] Candidate last_awaited(const Lane& lane, std::uint32_t of_lane,
                                       std::uint32_t number) const {
    const trace::Event* event = event_of(trace_, lane, number);
    if (event == nullptr) return {last_, WaitKind::at_end};
    Candidate last;
    const auto consider = [&](const trace::Operation& operation) {
      const Candidate one = awaited(lane, lane.calls[number], operation);
      if (one.by.lane == kNone) return;
      // A partner that arrives to send and to receive counts as a late sender.
      const bool at_once = one.by.time == last.by.time && one.kind == WaitKind::late_sender;
      if (last.by.lane == kNone || one.by.time > last.by.time || at_once) last = one;
    };
    const trace::Rank& rank = trace_.ranks[lane.rank];
    switch (trace_.shape(*event).kind) {
      case EventKind::send:
      case EventKind::receive:
      case EventKind::send_receive:
      case EventKind::collective:
      case EventKind::complete:
        for_operations(rank, *event, consider);
        break;
      case EventKind::one_sided:
        last = late_epoch(lane.calls[number], epochs_.awaited(of_lane, number));
        break;
      case EventKind::probe:
        if (const trace::Operation* found = probed(lane, number)) consider(*found);
        break;
      default:
        break;
    }
    return last;
  }

  /// The receive of what a Probe found: the thread's next receive.
  [[nodiscard]] const trace::Operation* probed(const Lane& lane, std::uint32_t number) const {
    const trace::Rank& rank = trace_.ranks[lane.rank];
    const auto end = static_cast<std::uint32_t>(lane.calls.size());
    for (std::uint32_t i = number; i < std::min(end, number + 1 + kReceiveBehindProbe); ++i) {
      const trace::Event* event = event_of(trace_, lane, i);
      if (event == nullptr) break;
      for (const trace::Operation& started : rank.started_by(*event)) {
        if (started.kind == OperationKind::receive) return &started;
      }
    }
    return nullptr;
  }

  [[nodiscard]] Candidate awaited(const Lane& lane, const Call& call,
                                  const trace::Operation& operation) const {
    if (operation.message == kNone || operation.cancelled) return {};
    switch (operation.kind) {
      case OperationKind::receive:
        return {messages_->arrival_of_sender(operation.message), WaitKind::late_sender};
      case OperationKind::send:
        return late_receiver(call, operation);
      case OperationKind::collective:
        break;
    }
    const Arrival by = collectives_->awaited_by(lane.rank, operation);
    const bool ended_early =
        may_end_early(collectives_->gathering(operation.message)) && call.end < by.time;
    return {ended_early ? Arrival{} : by, kind_of(operation.message)};
  }

  /// MPI_Win_start may return before the targets post their windows; then MPI_Win_complete waits.
  static Candidate late_epoch(const Call& call, const EpochArrivals::Awaited& awaited) {
    if (awaited.last.lane == kNone || call.end < awaited.last.time) return {};
    return {awaited.last, awaited.kind};
  }

  /// Only a send that had not ended when the receive began can have waited for it.
  [[nodiscard]] Candidate late_receiver(const Call& call, const trace::Operation& send) const {
    const trace::Message& message = trace_.messages[send.message];
    const std::uint32_t flags = trace_.shapes[send.shape].flags;
    const bool buffered = (flags & PLAIT_SHAPE_BUFFERED) != 0 || send.freed ||
                          ((flags & PLAIT_SHAPE_SYNCHRONOUS) == 0 &&
                           send.bytes <= waits_.largest_buffered[between_nodes(message) ? 1 : 0]);
    if (buffered) return {};
    const Arrival receive = messages_->arrival_of_receiver(send.message);
    if (receive.lane == kNone || call.end < receive.time) return {};
    return {receive, WaitKind::late_receiver};
  }

  [[nodiscard]] WaitKind kind_of(std::uint32_t collective) const {
    switch (collectives_->gathering(collective)) {
      case Gathering::barrier:
        return WaitKind::barrier;
      case Gathering::from_root:
        return WaitKind::late_root;
      case Gathering::to_root:
        return WaitKind::early_root;
      case Gathering::fence:
        return WaitKind::fence;
      case Gathering::file:
        return WaitKind::file;
      case Gathering::neighbors:
        return WaitKind::neighbors;
      default:
        return WaitKind::n_to_n;
    }
  }

  const trace::Trace& trace_;
  const Lanes& lanes_;
  unsigned threads_;
  Processes* processes_;
  std::shared_ptr<const MessageEnds> messages_;
  std::shared_ptr<const CollectiveArrivals> collectives_;
  EpochArrivals epochs_;
  Arrival last_;  ///< the end of the rank that ends last
  Waits waits_;
};

/// Adds the waiting of all lanes of a rank.
void add_rank(const trace::Trace& trace, const Lanes& lanes, const Waits& waits, std::uint32_t rank,
              StateSums& sum) {
  for (const std::uint32_t number : lanes.of[rank]) {
    if (number == kNone) continue;
    const Lane& lane = lanes.all[number];
    if (lane.stream == 0 && lane.begin > lanes.begin) {
      sum.add({WaitKind::before_first, kNone, kNone}, lane.begin - lanes.begin);
    }
    for (const Wait& wait : waits.of[number]) {
      const trace::Event* event = event_of(trace, lane, wait.call);
      const std::uint32_t function = event == nullptr ? kNone : trace.shape(*event).function;
      sum.add({wait.kind, function, site_of(trace, lane, wait.call)}, wait.end - wait.begin);
    }
  }
}

}  // namespace

const char* to_string(WaitKind kind) {
  switch (kind) {
    case WaitKind::late_sender:
      return "late sender";
    case WaitKind::late_receiver:
      return "late receiver";
    case WaitKind::barrier:
      return "wait at barrier";
    case WaitKind::n_to_n:
      return "wait at NxN";
    case WaitKind::fence:
      return "wait at fence";
    case WaitKind::neighbors:
      return "wait for neighbours";
    case WaitKind::late_post:
      return "late post";
    case WaitKind::late_complete:
      return "late complete";
    case WaitKind::lock:
      return "lock contention";
    case WaitKind::progress:
      return "wait for progress";
    case WaitKind::file:
      return "wait at collective I/O";
    case WaitKind::late_root:
      return "late root (broadcast)";
    case WaitKind::early_root:
      return "early root (reduce)";
    case WaitKind::before_first:
      return "before the first call";
    case WaitKind::untraced:
      return "rank not traced";
    case WaitKind::at_end:
      break;
  }
  return "wait at the end";
}

std::uint32_t Waits::ended(std::uint32_t lane, std::int64_t t, std::uint32_t near) const {
  const std::vector<Wait>& waits = of[lane];
  return count_until(t, near, static_cast<std::uint32_t>(waits.size()),
                     [&](std::uint32_t i) { return waits[i].end; });
}

std::int64_t Waits::until(std::uint32_t lane, std::int64_t t, std::uint32_t near) const {
  const std::uint32_t whole = ended(lane, t, near);
  const std::vector<Wait>& waits = of[lane];
  const std::int64_t part = whole < waits.size() ? t - waits[whole].begin : 0;
  return sums[lane][whole] + std::max<std::int64_t>(0, part);
}

Waits find_waits(const trace::Trace& trace, const Lanes& lanes, unsigned threads,
                 Processes* processes) {
  return Finder(trace, lanes, threads, processes).find();
}

std::vector<WaitState> sum_waits(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                                 unsigned threads, Processes* processes) {
  return sum_by_rank(lanes, threads, processes, [&](std::uint32_t rank, StateSums& sum) {
    add_rank(trace, lanes, waits, rank, sum);
  });
}

std::vector<double> waiting_by_rank(const Lanes& lanes, const Waits& waits, unsigned threads,
                                    Processes* processes) {
  std::vector<std::int64_t> waiting(lanes.of.size(), 0);  // ns
  Shares(lanes.shares, processes, threads).for_own([&](const IndexRange& range) {
    for_ranks(lanes, range, [&](std::uint32_t rank) {
      waiting[rank] = lanes.all[lanes.main_of[rank]].begin - lanes.begin;
      for (const std::uint32_t lane : lanes.of[rank]) {
        if (lane != kNone) waiting[rank] += waits.sums[lane].back();
      }
    });
  });
  combine(processes, waiting, kAdd);
  std::vector<double> seconds;
  for (const std::int64_t ns : waiting) seconds.push_back(to_seconds(ns));
  return seconds;
}

}  // namespace plait::analysis
