// SPDX-License-Identifier: BSD-3-Clause
// Lanes: the MPI calls of each thread with the computation between them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace plait::analysis {

inline double to_seconds(std::int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

/// The number of ascending entries that are not later than t. Searches outwards from entry `near`,
/// so nearby entries are found quickly. `at(i)` is the time of entry i.
template <class At>
std::uint32_t count_until(std::int64_t t, std::uint32_t near, std::uint32_t size, At at) {
  std::uint32_t low = 0;
  std::uint32_t high = size;
  std::uint32_t step = 1;
  near = std::min(near, size);
  if (near < size && at(near) <= t) {
    low = near + 1;
    while (step <= size - low && at(low + step - 1) <= t) {
      low += step;
      step *= 2;
    }
    high = std::min(size, low + step - 1);
  } else {
    high = near;
    while (step <= high && at(high - step) > t) {
      high -= step;
      step *= 2;
    }
    low = step <= high ? high - step + 1 : 0;
  }
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (at(middle) <= t) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// One MPI call of a lane. A loop of failed polls and the call that ends it are one call.
struct Call {
  std::int64_t begin = 0, end = 0;  ///< ns
  std::int64_t computed = 0;        ///< computation from the lane's begin to this call, ns
  std::uint32_t event = 0;          ///< in the stream; kNone: the end of the rank (MPI_Finalize)
  /// Number of Lane::segments before this call; if the lane has no list of them, of calls up to the
  /// last one, this one included, that has computation before it.
  std::uint32_t segments = 0;
};

/// A call before or in which its thread had no CPU.
struct Stall {
  std::uint32_t call = 0;
  std::int64_t before = 0;          ///< without a CPU from the lane's begin to this call, ns
  std::int64_t inside = 0;          ///< in this call, ns
  std::int64_t begin = 0, end = 0;  ///< of this call, ns
};

/// Computation in one user region, up to a call or to the region's end. The time between two calls
/// in which the thread waited for a CPU is a segment of its own, at the end, because when it waited
/// is not known.
struct Segment {
  std::int64_t begin = 0, end = 0;      ///< ns
  std::uint32_t region = trace::kNone;  ///< innermost user region
  std::uint32_t site = trace::kNone;    ///< of the call that follows
  bool on_cpu = true;
};

/// A thread that calls MPI. Outside its calls it computes. Of a lane whose rank another process
/// has, only its place, times, number of calls and stalls are known.
struct Lane {
  std::uint32_t rank = 0, stream = 0;
  std::int64_t begin = 0, end = 0;  ///< of the rank
  std::uint32_t call_count = 0;     ///< size of `calls`, wherever they are
  std::vector<Call> calls;          ///< ascending; of a main thread, the last is the rank's end
  std::vector<Segment> segments;    ///< ascending; empty: see SegmentsBefore
  std::vector<Stall> stalls;        ///< ascending

  /// The call of an event; kNone: it is not an MPI call.
  [[nodiscard]] std::uint32_t call_of(std::uint32_t event) const {
    if (!calls_of_events.empty()) {
      return event < calls_of_events.size() ? calls_of_events[event] : trace::kNone;
    }
    const std::uint32_t call = event - first_event;  // wraps around before the first
    return call < event_calls ? call : trace::kNone;
  }
  /// Computation between the lane's begin and a call, ns.
  [[nodiscard]] std::int64_t computed_before(std::uint32_t call) const {
    return calls[call].computed;
  }
  /// Waiting for a CPU between the lane's begin and a call, ns.
  [[nodiscard]] std::int64_t stalled_before(std::uint32_t call) const {
    const auto behind = stalls_until(call);
    if (behind == stalls.begin()) return 0;
    const Stall& last = *(behind - 1);
    return last.before + (last.call == call ? 0 : last.inside);
  }
  /// Waiting for a CPU in a call, ns.
  [[nodiscard]] std::int64_t stalled_in(std::uint32_t call) const {
    const auto behind = stalls_until(call);
    return behind == stalls.begin() || (behind - 1)->call != call ? 0 : (behind - 1)->inside;
  }

  /// The number of calls that begin at or before t. Searches from call `near`.
  [[nodiscard]] std::uint32_t calls_begun(std::int64_t t, std::uint32_t near) const;
  /// Computation between the lane's begin and t, ns.
  [[nodiscard]] std::int64_t computed_until(std::int64_t t, std::uint32_t near) const;
  /// Waiting for a CPU between the lane's begin and t, ns: before a call just before it, in a call
  /// spread evenly over it.
  [[nodiscard]] std::int64_t stalled_until(std::int64_t t) const;

  /// Events are calls one to one, from `first_event` on, `event_calls` of them; otherwise this has
  /// the call of each event, or kNone.
  std::vector<std::uint32_t> calls_of_events;
  std::uint32_t first_event = 0, event_calls = 0;

private:
  [[nodiscard]] std::vector<Stall>::const_iterator stalls_until(std::uint32_t call) const {
    return std::upper_bound(
        stalls.begin(), stalls.end(), call,
        [](std::uint32_t number, const Stall& stall) { return number < stall.call; });
  }
};

/// The lanes of all ranks, grouped by rank, main thread first.
struct Lanes {
  std::vector<Lane> all;
  std::vector<std::uint32_t> main_of;          ///< by rank; kNone: a rank without events
  std::vector<std::vector<std::uint32_t>> of;  ///< by rank and stream; kNone: no MPI calls
  std::int64_t begin = 0, end = 0;             ///< first begin and last end of all ranks
  /// By process of those that share the analysis: the lanes of Trace::shares. Never empty.
  std::vector<IndexRange> shares{{0, 0}};
  IndexRange own;  ///< of this process

  /// The lane and call of an event; {kNone, kNone} if it is not an MPI call.
  struct Place {
    std::uint32_t lane = trace::kNone, call = trace::kNone;
  };
  [[nodiscard]] Place place_of(std::uint32_t rank, std::uint32_t stream, std::uint32_t event) const;
  /// The lane and call that started an operation.
  [[nodiscard]] Place start_of(std::uint32_t rank, const trace::Operation& operation) const {
    return place_of(rank, operation.stream, operation.started);
  }
};

/// The lanes of a trace. Linear in the events.
/// @param threads  that work at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes  that have the other parts of the trace; may be null if it is whole. Collective
///                   among them.
Lanes make_lanes(const trace::Trace& trace, unsigned threads = 0, Processes* processes = nullptr);

/// Calls `use(operation)` for the operations that a call started and for those that it completed.
template <class Use>
void for_operations(const trace::Rank& rank, const trace::Event& event, Use use) {
  for (const trace::Operation& started : rank.started_by(event)) use(started);
  for (const std::uint32_t completed : rank.completed_by(event)) use(rank.operations[completed]);
}

/// The event of a call; null for the end of a rank.
const trace::Event* event_of(const trace::Trace& trace, const Lane& lane, std::uint32_t call);

/// The call site of a call; kNone for the end of a rank.
std::uint32_t site_of(const trace::Trace& trace, const Lane& lane, std::uint32_t call);

/// Goes through the segments before a call, the last one first. A lane without user regions that
/// always had a CPU, as most are, has no list of them: each of its calls has one before it, from
/// the end of the call before, unless it begins at once.
class SegmentsBefore {
public:
  SegmentsBefore(const trace::Trace& trace, const Lane& lane, std::uint32_t call)
      : trace_(trace), lane_(lane), left_(lane.calls[call].segments) {}

  /// True if there is a segment, which the other functions are about.
  [[nodiscard]] bool more() const { return left_ > 0; }
  void step() {
    if (listed()) {
      --left_;
    } else {
      left_ = left_ > 1 ? lane_.calls[left_ - 2].segments : 0;
    }
  }

  [[nodiscard]] std::int64_t begin() const {
    return listed() ? segment().begin : call().begin - length();
  }
  [[nodiscard]] std::int64_t end() const { return listed() ? segment().end : call().begin; }
  [[nodiscard]] bool on_cpu() const { return !listed() || segment().on_cpu; }
  [[nodiscard]] std::uint32_t region() const { return listed() ? segment().region : trace::kNone; }
  [[nodiscard]] std::uint32_t site() const {
    return listed() ? segment().site : site_of(trace_, lane_, left_ - 1);
  }

private:
  [[nodiscard]] bool listed() const { return !lane_.segments.empty(); }
  [[nodiscard]] const Segment& segment() const { return lane_.segments[left_ - 1]; }
  [[nodiscard]] const Call& call() const { return lane_.calls[left_ - 1]; }
  [[nodiscard]] std::int64_t length() const {
    return call().computed - (left_ > 1 ? lane_.calls[left_ - 2].computed : 0);
  }

  const trace::Trace& trace_;
  const Lane& lane_;
  std::uint32_t left_;  // segments, or calls
};

}  // namespace plait::analysis
