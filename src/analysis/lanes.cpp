// SPDX-License-Identifier: BSD-3-Clause
// Builds lanes: the MPI calls of each thread with the computation between them.
#include "analysis/lanes.hpp"

#include <tuple>
#include <utility>

#include "base/combine.hpp"
#include "base/parallel.hpp"
#include "base/spare_room.hpp"
#include "replay/program.hpp"

namespace plait::analysis {
namespace {

using trace::EventKind;
using trace::kNone;

/// The innermost user region from time `at` on.
struct RegionChange {
  std::int64_t at = 0;
  std::uint32_t region = kNone;
};

/// User regions nest, and are in the stream at their ends.
std::vector<RegionChange> region_changes(const trace::Trace& trace, const trace::Stream& stream) {
  struct Span {
    std::int64_t begin, end;
    std::uint32_t region;
  };
  std::vector<Span> spans;
  for (const trace::Event& event : stream.events) {
    const trace::Shape& shape = trace.shape(event);
    if (shape.kind == EventKind::region) spans.push_back({event.begin, event.end, shape.site});
  }
  std::ranges::stable_sort(spans, [](const Span& a, const Span& b) {
    return std::tuple(a.begin, b.end) < std::tuple(b.begin, a.end);
  });
  std::vector<RegionChange> changes;
  std::vector<Span> open;
  const auto leave_until = [&](std::int64_t t) {
    while (!open.empty() && open.back().end <= t) {
      const std::int64_t end = open.back().end;
      open.pop_back();
      changes.push_back({end, open.empty() ? kNone : open.back().region});
    }
  };
  for (const Span& span : spans) {
    leave_until(span.begin);
    changes.push_back({span.begin, span.region});
    open.push_back(span);
  }
  leave_until(INT64_MAX);
  return changes;
}

class LaneBuilder {
public:
  LaneBuilder(const trace::Trace& trace, Lane& lane)
      : trace_(trace), lane_(lane), stream_(trace.ranks[lane.rank].streams[lane.stream]) {}

  void build() {
    const trace::Rank& rank = trace_.ranks[lane_.rank];
    lane_.begin = rank.begin;
    lane_.end = rank.end;
    find_calls();
    if (!lane_.calls.empty()) {
      lane_.begin = std::min(lane_.begin, lane_.calls.front().begin);
      lane_.end = std::max(lane_.end, lane_.calls.back().end);
    }
    // The end of the rank is a call of the main thread; other threads' lanes just end with the
    // rank.
    if (lane_.stream == 0) lane_.calls.push_back({lane_.end, lane_.end, 0, kNone});
    drop_spare_room(lane_.calls);
    if (!stream_.cpu_waits.empty()) find_stalls();
    find_computation();
    drop_spare_room(lane_.segments);
    drop_spare_room(lane_.stalls);
  }

private:
  void find_calls() {
    lane_.calls.reserve(stream_.events.size() + 1);
    bool polling = false, joined = false;
    auto cpu_wait = stream_.cpu_waits.begin();
    for (std::uint32_t i = 0; i < stream_.events.size(); ++i) {
      const trace::Event& event = stream_.events[i];
      const trace::Shape& shape = trace_.shape(event);
      if (!trace::is_call(shape.kind) || outside(event, shape)) continue;
      const bool ends_polling =
          shape.kind == EventKind::poll || shape.kind == EventKind::complete ||
          shape.kind == EventKind::probe || (shape.flags & PLAIT_SHAPE_TEST) != 0;
      std::int64_t stalled = 0;  // since the last call
      for (; cpu_wait != stream_.cpu_waits.end() && cpu_wait->at <= event.begin; ++cpu_wait) {
        stalled += cpu_wait->before_ns;
      }
      if (polling && ends_polling &&
          replay::is_one_polling_loop(
              static_cast<double>(event.begin - lane_.calls.back().end - stalled),
              lane_.calls.back().end - lane_.calls.back().begin)) {
        lane_.calls.back().end = event.end;
        lane_.calls.back().event = i;
        joined = true;
      } else {
        lane_.calls.push_back({event.begin, event.end, 0, i});
      }
      polling = shape.kind == EventKind::poll;
    }
    list_calls_of_events(joined);
  }

  /// Lists the call of each event only if events and calls are not one to one.
  /// @param joined  a call has several events
  void list_calls_of_events(bool joined) {
    if (lane_.calls.empty()) return;
    lane_.first_event = lane_.calls.front().event;
    lane_.event_calls = static_cast<std::uint32_t>(lane_.calls.size());
    const std::uint32_t last = lane_.calls.back().event;
    if (!joined && last - lane_.first_event + 1 == lane_.event_calls) return;
    lane_.calls_of_events.assign(stream_.events.size(), kNone);
    std::uint32_t call = 0;
    for (std::uint32_t i = 0; i <= last; ++i) {
      const trace::Event& event = stream_.events[i];
      const trace::Shape& shape = trace_.shape(event);
      if (!trace::is_call(shape.kind) || outside(event, shape)) continue;
      // Polls of one loop are one call, which has the last event.
      while (lane_.calls[call].event < i) ++call;
      lane_.calls_of_events[i] = call;
    }
  }

  /// MPI_Init and MPI_Finalize are outside the analyzed time.
  [[nodiscard]] bool outside(const trace::Event& event, const trace::Shape& shape) const {
    const trace::Rank& rank = trace_.ranks[lane_.rank];
    if (event.end <= rank.begin && event.begin < rank.begin) return true;
    return event.begin >= rank.end && shape.function < trace_.functions.size() &&
           trace_.functions[shape.function] == "MPI_Finalize";
  }

  /// Between calls, by the call that follows, and in calls.
  void find_stalls() {
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < lane_.calls.size(); ++i) {
      const Call& call = lane_.calls[i];
      std::int64_t before = 0, inside = 0;
      // The program's last wait is recorded with MPI_Finalize, which begins after the rank's end.
      const bool is_end = call.event == kNone;
      for (; next < stream_.cpu_waits.size(); ++next) {
        const trace::CpuWait& wait = stream_.cpu_waits[next];
        if (!is_end && wait.at > call.begin && wait.at >= call.end) break;
        const bool is_first = wait.at <= call.begin || is_end;
        if (is_first) before += wait.before_ns;
        if (!is_end) inside += wait.inside_ns + (is_first ? 0 : wait.before_ns);
      }
      inside = std::min(inside, call.end - call.begin);
      if (before != 0 || inside != 0) {
        lane_.stalls.push_back({i, before, inside, call.begin, call.end});
      }
    }
  }

  void find_computation() {
    const std::vector<RegionChange> changes = region_changes(trace_, stream_);
    if (changes.empty() && lane_.stalls.empty()) return sum_computation();
    lane_.segments.reserve(lane_.calls.size() + changes.size());
    std::size_t next = 0;
    std::uint32_t region = kNone;
    std::int64_t computed = 0;
    std::int64_t at = lane_.begin;
    std::int64_t stalled = 0;
    auto stall = lane_.stalls.begin();  // its `before` is that of the gap until it is added up
    const auto enter = [&](std::int64_t t) {
      for (; next < changes.size() && changes[next].at <= t; ++next) region = changes[next].region;
    };
    for (std::uint32_t i = 0; i < lane_.calls.size(); ++i) {
      Call& call = lane_.calls[i];
      const std::uint32_t site = site_of(trace_, lane_, i);
      enter(at);
      const bool stalls = stall != lane_.stalls.end() && stall->call == i;
      const std::int64_t end = std::max(at, call.begin - (stalls ? stall->before : 0));
      while (at < end) {
        const std::int64_t until = next < changes.size() ? std::min(changes[next].at, end) : end;
        computed += until - at;
        lane_.segments.push_back({at, until, region, site});
        at = until;
        enter(at);
      }
      if (at < call.begin) {
        lane_.segments.push_back({at, call.begin, kNone, site, false});
        stalled += call.begin - at;
      }
      if (stalls) {
        stall->before = stalled;
        stalled += stall->inside;
        ++stall;
      }
      call.segments = static_cast<std::uint32_t>(lane_.segments.size());
      call.computed = computed;
      at = std::max(at, call.end);
    }
  }

  /// Without a list of segments.
  void sum_computation() {
    std::int64_t computed = 0, at = lane_.begin;
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < lane_.calls.size(); ++i) {
      Call& call = lane_.calls[i];
      if (call.begin > at) {
        computed += call.begin - at;
        last = i + 1;
      }
      call.computed = computed;
      call.segments = last;
      at = std::max(at, call.end);
    }
  }

  const trace::Trace& trace_;
  Lane& lane_;
  const trace::Stream& stream_;
};

}  // namespace

std::uint32_t Lane::calls_begun(std::int64_t t, std::uint32_t near) const {
  return count_until(t, near, static_cast<std::uint32_t>(calls.size()),
                     [this](std::uint32_t i) { return calls[i].begin; });
}

std::int64_t Lane::computed_until(std::int64_t t, std::uint32_t near) const {
  const std::uint32_t begun = calls_begun(t, near);
  if (begun == 0) {
    const std::int64_t then = std::max<std::int64_t>(0, t - begin);
    return calls.empty() ? then : std::min(then, computed_before(0));
  }
  const std::int64_t then =
      computed_before(begun - 1) + std::max<std::int64_t>(0, t - calls[begun - 1].end);
  return begun < calls.size() ? std::min(then, computed_before(begun)) : then;
}

std::int64_t Lane::stalled_until(std::int64_t t) const {
  const auto next = std::ranges::upper_bound(stalls, t, {}, &Stall::begin);
  std::int64_t since = 0;
  if (next != stalls.begin()) {
    const Stall& last = *(next - 1);
    since = last.before + last.inside;
    if (t < last.end) {
      const auto passed = static_cast<double>(t - last.begin);
      const double share = passed / static_cast<double>(last.end - last.begin);
      return last.before + static_cast<std::int64_t>(share * static_cast<double>(last.inside));
    }
  }
  // The thread waits at the end of the time before the next call, which may have begun.
  return next == stalls.end() ? since : std::max(since, next->before - (next->begin - t));
}

Lanes::Place Lanes::place_of(std::uint32_t rank, std::uint32_t stream, std::uint32_t event) const {
  if (rank >= of.size() || stream >= of[rank].size() || of[rank][stream] == kNone) return {};
  const Lane& lane = all[of[rank][stream]];
  const std::uint32_t call = lane.call_of(event);
  return call == kNone ? Place{} : Place{of[rank][stream], call};
}

namespace {

/// What other processes need to know of a lane.
struct LaneHead {
  std::uint32_t rank = 0, stream = 0, call_count = 0;
  std::int64_t begin = 0, end = 0;
  std::vector<Stall> stalls;
};

template <class Archive>
void fields(Archive& archive, LaneHead& of) {
  archive(of.rank, of.stream, of.call_count, of.begin, of.end, of.stalls);
}

/// Collective. Adds the lanes that other processes have to those of this one.
void add_others(const trace::Trace& trace, Processes& processes, Lanes& lanes) {
  std::vector<LaneHead> heads;
  for (const Lane& lane : lanes.all) {
    heads.push_back({lane.rank, lane.stream, lane.call_count, lane.begin, lane.end, lane.stalls});
  }
  std::vector<Lane> own = std::move(lanes.all);
  auto next = own.begin();
  lanes.all.clear();
  for (LaneHead& head : join_lists(&processes, std::move(heads))) {
    Lane& lane = lanes.all.emplace_back();
    if (trace.has(head.rank)) {
      lane = std::move(*next++);
      continue;
    }
    lane.rank = head.rank;
    lane.stream = head.stream;
    lane.call_count = head.call_count;
    lane.begin = head.begin;
    lane.end = head.end;
    lane.stalls = std::move(head.stalls);
  }
}

/// Numbers the lanes of each rank, and divides them as the ranks are.
void number_lanes(const trace::Trace& trace, Lanes& lanes) {
  lanes.main_of.assign(trace.ranks.size(), kNone);
  lanes.of.resize(trace.ranks.size());
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    lanes.of[rank].assign(trace.ranks[rank].streams.size(), kNone);
  }
  for (std::uint32_t number = 0; number < lanes.all.size(); ++number) {
    const Lane& lane = lanes.all[number];
    lanes.of[lane.rank][lane.stream] = number;
    if (lane.stream == 0) lanes.main_of[lane.rank] = number;
  }
  const auto first_of = [&](std::size_t rank) {
    const auto at = std::ranges::lower_bound(lanes.all, rank, {}, &Lane::rank);
    return static_cast<std::size_t>(at - lanes.all.begin());
  };
  lanes.shares.clear();
  for (const IndexRange& ranks : trace.shares) {
    lanes.shares.push_back({first_of(ranks.first), first_of(ranks.last)});
  }
  if (lanes.shares.empty()) lanes.shares.push_back({0, lanes.all.size()});
  lanes.own = lanes.shares[trace.process];
}

}  // namespace

Lanes make_lanes(const trace::Trace& trace, unsigned threads, Processes* processes) {
  Lanes lanes;
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
    if (!trace.has(rank)) continue;
    const std::vector<trace::Stream>& streams = trace.ranks[rank].streams;
    for (std::uint32_t stream = 0; stream < streams.size(); ++stream) {
      if (stream > 0 && !trace::calls_mpi(trace, streams[stream])) continue;
      Lane& lane = lanes.all.emplace_back();
      lane.rank = rank;
      lane.stream = stream;
    }
  }
  for_each_index(
      lanes.all.size(),
      [&](std::size_t i) {
        Lane& lane = lanes.all[i];
        LaneBuilder(trace, lane).build();
        lane.call_count = static_cast<std::uint32_t>(lane.calls.size());
      },
      threads);
  if (trace.is_part) add_others(trace, *processes, lanes);
  number_lanes(trace, lanes);
  if (lanes.all.empty()) return lanes;
  lanes.begin = std::ranges::min_element(lanes.all, {}, &Lane::begin)->begin;
  lanes.end = std::ranges::max_element(lanes.all, {}, &Lane::end)->end;
  for (const std::uint32_t main : lanes.main_of) {
    // A killed rank does not wait for the others.
    if (main == kNone || !trace.ranks[lanes.all[main].rank].complete) continue;
    if (trace.has(lanes.all[main].rank)) lanes.all[main].calls.back().end = lanes.end;
  }
  return lanes;
}

const trace::Event* event_of(const trace::Trace& trace, const Lane& lane, std::uint32_t call) {
  const std::uint32_t event = lane.calls[call].event;
  return event == kNone ? nullptr : &trace.ranks[lane.rank].streams[lane.stream].events[event];
}

std::uint32_t site_of(const trace::Trace& trace, const Lane& lane, std::uint32_t call) {
  const trace::Event* event = event_of(trace, lane, call);
  return event == nullptr ? kNone : trace.shape(*event).site;
}

}  // namespace plait::analysis
