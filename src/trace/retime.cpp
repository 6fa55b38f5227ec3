// SPDX-License-Identifier: BSD-3-Clause
// Writes the trace of a run with other times: copies its events and what they refer to.
#include "trace/retime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <system_error>

#include "base/failure.hpp"
#include "plait/error.hpp"
#include "trace/event_names.hpp"
#include "trace/event_source.hpp"
#include "trace/pack.hpp"
#include "trace/trace_files.hpp"

namespace plait::trace {
namespace {

namespace fs = std::filesystem;

/// Maps the recorded times of a rank to new ones: linear between those that are known.
class NewTimes {
public:
  NewTimes(const Rank& rank, const std::vector<std::pair<double, double>>& times) {
    add(rank.begin, static_cast<double>(rank.begin));
    if (rank.streams.empty()) return;
    const std::vector<Event>& events = rank.streams.front().events;
    for (std::size_t i = 0; i < std::min(events.size(), times.size()); ++i) {
      if (times[i].first < 0 || times[i].second < times[i].first) continue;
      add(events[i].begin, times[i].first);
      add(events[i].end, times[i].second);
    }
  }

  [[nodiscard]] std::int64_t operator()(std::int64_t recorded) const {
    const auto after = std::ranges::upper_bound(known_, recorded, {}, &Known::recorded);
    if (after == known_.begin()) return recorded + rounded(after->now - after->recorded_ns());
    const Known& before = *(after - 1);
    const double since = static_cast<double>(recorded) - before.recorded_ns();
    if (after == known_.end()) return rounded(before.now + since);
    const double width = after->recorded_ns() - before.recorded_ns();
    return rounded(before.now + (after->now - before.now) * since / width);
  }

private:
  struct Known {
    std::int64_t recorded = 0;
    double now = 0;
    [[nodiscard]] double recorded_ns() const { return static_cast<double>(recorded); }
  };

  static std::int64_t rounded(double ns) { return std::llround(ns); }

  void add(std::int64_t recorded, double now) {
    if (!known_.empty() && recorded <= known_.back().recorded) {
      known_.back().now = std::max(known_.back().now, now);
      return;
    }
    known_.push_back({recorded, known_.empty() ? now : std::max(now, known_.back().now)});
  }

  std::vector<Known> known_;  // ascending in both
};

/// Copies the words of events from one chunk to another.
class WordCopier {
public:
  WordCopier(EventNames from, std::vector<std::uint32_t>& to, double ns_per_tick)
      : from_(from), to_(to), ns_per_tick_(ns_per_tick) {}

  std::uint32_t one() {
    to_.push_back(from_.one());
    return to_.back();
  }
  void several(std::size_t count) {
    for (; count > 0; --count) one();
  }
  void skip(std::size_t count) {
    for (; count > 0; --count) from_.one();
  }
  /// Copies ticks as nanoseconds.
  void ticks() {
    const auto ns = static_cast<std::uint64_t>(static_cast<double>(from_.two()) * ns_per_tick_);
    put(ns);
  }
  void put(std::uint64_t two) {
    to_.push_back(static_cast<std::uint32_t>(two));
    to_.push_back(static_cast<std::uint32_t>(two >> 32U));
  }
  void reference() {
    const std::uint32_t bits = one();
    if (bits == PLAIT_REFERENCE_UNKNOWN) return;
    if (bits == PLAIT_REFERENCE_LEFT_OUT) return several(4);
    if ((bits & PLAIT_REFERENCE_FOREIGN) != 0) one();
    if ((bits & PLAIT_REFERENCE_STATUS) != 0) several(2);
  }

  /// Copies the words of an event's kind, and of a shape that varies; event_format.h lists them.
  void kind_words(const plait_shape& of) {
    const bool varies = (of.flags & PLAIT_SHAPE_VARIES) != 0;
    switch (of.kind) {
      case PLAIT_EVENT_SEND:
      case PLAIT_EVENT_ISEND:
      case PLAIT_EVENT_IRECV:
        several(varies ? 1 : 0);
        break;
      case PLAIT_EVENT_RECV:
        several((varies ? 1 : 0) + ((of.flags & PLAIT_SHAPE_WILDCARD) != 0 ? 2 : 0));
        break;
      case PLAIT_EVENT_COLLECTIVE:
      case PLAIT_EVENT_ICOLLECTIVE:
        several(varies ? 2 : 0);
        break;
      case PLAIT_EVENT_SENDRECV:
      case PLAIT_EVENT_ISENDRECV:
        several((varies ? 1 : 0) + 5);
        break;
      case PLAIT_EVENT_START:
        several(3 * std::size_t{one()});
        break;
      case PLAIT_EVENT_COMPLETE: {
        const std::uint32_t count = one();
        if (count == 0 && (of.flags & PLAIT_SHAPE_TEST) != 0) one();
        for (std::uint32_t left = count; left > 0; --left) reference();
        break;
      }
      case PLAIT_EVENT_PROBE:
      case PLAIT_EVENT_MPROBE:
        several(varies ? 1 : 0);
        several(one() == 0 ? 1 : 2);
        break;
      case PLAIT_EVENT_MRECV:
      case PLAIT_EVENT_IMRECV:
        reference();
        break;
      case PLAIT_EVENT_PARALLEL:
        one();
        ticks();
        break;
      case PLAIT_EVENT_WORK:
        ticks();
        break;
      case PLAIT_EVENT_GAP:
        several(1 + 2 * std::size_t{one()});
        break;
      case PLAIT_EVENT_EPOCH:
        several(one());
        break;
      default:
        break;
    }
  }

private:
  EventNames from_;
  std::vector<std::uint32_t>& to_;
  double ns_per_tick_;
};

bool holds_others(std::uint32_t kind) {
  return kind == PLAIT_EVENT_PARALLEL || kind == PLAIT_EVENT_WORK || kind == PLAIT_EVENT_REGION;
}

/// The events of a process with new times, in nanoseconds.
class RetimedEvents final : public EventSource {
public:
  RetimedEvents(EventSource& from, const Rank& rank,
                const std::vector<std::pair<double, double>>& times)
      : from_(from), rank_(rank), times_(times), map_(rank, times) {
    definitions_ = from.definitions();
    ns_per_tick_ = 1e9 / std::max(1.0, definitions_.clock.ticks_per_s);
    definitions_.init_end_ticks = static_cast<std::uint64_t>(std::max<std::int64_t>(0, rank.begin));
    definitions_.clock = {};
    definitions_.clock.kind = PLAIT_CLOCK_MONOTONIC_NS;
    definitions_.clock.ticks_per_s = 1e9;
    definitions_.clock.at_init.measured = definitions_.clock.at_finalize.measured = 1;
    definitions_.clock.at_finalize.ticks = 1;
    shapes_.assign(from.shapes().begin(), from.shapes().end());
  }

  [[nodiscard]] std::size_t chunk_count() const override { return from_.chunk_count(); }
  [[nodiscard]] std::uint64_t chunk_events(std::size_t index) const override {
    return from_.chunk_events(index);
  }

  EventChunk chunk(std::size_t index) override {
    EventChunk out = from_.chunk(index);
    for (auto* column : {&shape_, &gap_, &duration_, &words_}) column->clear();
    if (!out.shape.empty()) {
      if (!has_thread_ || out.thread != thread_) {
        stream_ = has_thread_ ? stream_ + 1 : 0;
        has_thread_ = true;
        thread_ = out.thread;
        event_ = 0;
        last_end_ = 0;
      }
      WordCopier words(EventNames(out.words), words_, ns_per_tick_);
      const auto first = static_cast<std::uint64_t>(last_end_);
      try {
        for (std::size_t i = 0; i < out.shape.size(); ++i) {
          copy(out.shape[i], out.gap[i], out.duration[i], words);
        }
      } catch (const Unreadable& reason) {
        throw Error(fmt::format("rank {}", rank_.world_rank),
                    fmt::format("its trace is damaged: {}", reason.why), "record it again");
      }
      out.first_ticks = first;
    }
    out.shape = shape_;
    out.gap = gap_;
    out.duration = duration_;
    out.words = words_;
    return out;
  }

private:
  void copy(std::uint32_t coded, std::uint32_t gap, std::uint32_t duration, WordCopier& words) {
    const std::uint32_t index = coded & PLAIT_SHAPE_INDEX;
    if (index >= shapes_.size()) throw Unreadable{"an event's shape is not defined"};
    const plait_shape& of = shapes_[index];
    words.skip((gap == PLAIT_LONG ? 2 : 0) + (duration == PLAIT_LONG ? 2 : 0));
    const std::size_t bytes = (coded & PLAIT_SHAPE_BYTES) == 0  ? 0
                              : (coded & PLAIT_SHAPE_WIDE) != 0 ? 2
                                                                : 1;
    if (of.kind == PLAIT_EVENT_PAUSE || of.kind == PLAIT_EVENT_CPU_WAIT) {
      words.skip(bytes + (of.kind == PLAIT_EVENT_CPU_WAIT ? 4 : 0));
      return;
    }
    // The new times have no gaps, but what was left out still counts.
    const auto [begin, end] = of.kind == PLAIT_EVENT_GAP ? std::pair(last_end_, last_end_)
                                                         : times_of(holds_others(of.kind));
    const auto new_gap =
        static_cast<std::uint64_t>((holds_others(of.kind) ? end : begin) - last_end_);
    shape_.push_back(coded);
    gap_.push_back(kept(new_gap, words));
    duration_.push_back(kept(static_cast<std::uint64_t>(end - begin), words));
    last_end_ = end;
    words.several(bytes);
    words.kind_words(of);
  }

  static std::uint32_t kept(std::uint64_t ticks, WordCopier& words) {
    if (ticks < PLAIT_LONG) return static_cast<std::uint32_t>(ticks);
    words.put(ticks);
    return PLAIT_LONG;
  }

  /// Begin and end of the next event, not before the end of the last one.
  std::pair<std::int64_t, std::int64_t> times_of(bool holds_others) {
    if (stream_ >= rank_.streams.size() || event_ >= rank_.streams[stream_].events.size()) {
      throw Unreadable{"it has other events than when it was read"};
    }
    const Event& event = rank_.streams[stream_].events[event_];
    std::int64_t begin = map_(event.begin);
    std::int64_t end = map_(event.end);
    if (stream_ == 0 && event_ < times_.size() && times_[event_].first >= 0) {
      begin = std::llround(times_[event_].first);
      end = std::llround(times_[event_].second);
    }
    ++event_;
    begin = std::max(begin, holds_others ? 0 : last_end_);
    return {begin, std::max({begin, end, last_end_})};
  }

  EventSource& from_;
  const Rank& rank_;
  const std::vector<std::pair<double, double>>& times_;
  NewTimes map_;
  double ns_per_tick_ = 1;
  bool has_thread_ = false;
  std::uint32_t thread_ = 0;
  std::size_t stream_ = 0, event_ = 0;
  std::int64_t last_end_ = 0;
  std::vector<std::uint32_t> shape_, gap_, duration_, words_;
};

}  // namespace

void write_retimed(const fs::path& run_dir, const Trace& trace, const EventTimes& times,
                   const fs::path& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) {
    throw Failure(folder.string(), "cannot be created (" + problem.message() + ")",
                  "choose another path with -o");
  }
  const TraceFiles files = find_trace_files(run_dir);
  std::map<int, std::unique_ptr<EventSource>> sources;
  for (const fs::path& file : files.files) {
    auto source = files.packed ? open_packed_events(file) : open_raw_events(file);
    const int rank = source->definitions().world_rank;
    sources.try_emplace(rank, std::move(source));
  }
  for (const auto& [number, source] : sources) {
    const auto rank = static_cast<std::size_t>(number);
    if (number < 0 || rank >= trace.ranks.size() || rank >= times.size()) continue;
    RetimedEvents retimed(*source, trace.ranks[rank], times[rank]);
    pack_events(retimed, folder / fmt::format("{}.ptrace", number));
  }
}

}  // namespace plait::trace
