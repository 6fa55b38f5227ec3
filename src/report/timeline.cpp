// SPDX-License-Identifier: BSD-3-Clause
// The data of the page's timeline.
#include "report/timeline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "report/timeline_bins.hpp"
#include "report/timeline_columns.hpp"
#include "report/timeline_windows.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
using trace::EventKind;
using trace::kNone;

/// A full bin; shares of it are integers, the largest of which takes two bytes.
constexpr double kWholeBin = 16383;

json index_or_null(std::uint32_t index) {
  return index == kNone ? json(nullptr) : json(index);
}

/// The world rank of a shape's peer; null for none and for wildcards.
json partner_of(const trace::Trace& trace, const trace::Shape& shape) {
  if (shape.peer < 0 || shape.comm >= trace.comms.size()) return nullptr;
  const trace::Comm& comm = trace.comms[shape.comm];
  // The group of an intercommunicator's peer depends on the caller's group; its messages have it.
  if (!comm.remote_members.empty()) return nullptr;
  const auto peer = static_cast<std::size_t>(shape.peer);
  return peer < comm.members.size() ? json(comm.members[peer]) : json(nullptr);
}

/// Numbers the combinations of shape and category, which equal events share.
class PageShapes {
public:
  explicit PageShapes(const trace::Trace& trace) : trace_(trace) {}

  std::uint32_t index_of(const trace::Rank& rank, const trace::Event& event) {
    const TimeCategory category = category_of(trace_, rank, event);
    const std::uint64_t key =
        std::uint64_t{event.shape} * kTimeCategories + static_cast<std::uint64_t>(category);
    const auto [at, is_new] = known_.try_emplace(key, static_cast<std::uint32_t>(rows_.size()));
    if (is_new) add(event.shape, category);
    return at->second;
  }

  [[nodiscard]] const json& rows() const { return rows_; }

private:
  /// kind, category, function, site (or region), communicator, partner, tag, wildcard
  void add(std::uint32_t index, TimeCategory category) {
    const trace::Shape& shape = trace_.shapes[index];
    const bool has_tag = shape.tag != PLAIT_ANY_TAG;
    rows_.push_back(
        {trace::kind_name(shape.kind), kTimeCategoryNames[static_cast<std::size_t>(category)],
         index_or_null(shape.function), index_or_null(shape.site), index_or_null(shape.comm),
         partner_of(trace_, shape), has_tag ? json(shape.tag) : json(nullptr),
         (shape.flags & PLAIT_SHAPE_WILDCARD) != 0});
  }

  const trace::Trace& trace_;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
  json rows_ = json::array();
};

/// Events of different groups may overlap; those of one group nest or follow each other.
enum class Group { calls, openmp, regions };

Group group_of(EventKind kind) {
  if (kind == EventKind::region) return Group::regions;
  return is_call(kind) ? Group::calls : Group::openmp;
}

/// The difference as a column stores it; readers add it up modulo 2^64.
std::int64_t change(std::uint64_t& last, std::uint64_t now) {
  return static_cast<std::int64_t>(now - std::exchange(last, now));
}

class Builder {
public:
  Builder(const trace::Trace& trace, const WaitOfEvent& wait, const TimelineWindow& run,
          std::vector<TimelineWindow> windows)
      : trace_(trace), wait_(wait), run_(run), windows_(std::move(windows)), shapes_(trace) {}

  json ranks(std::size_t bins) {
    json rows = json::array();
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r) {
      const trace::Rank& rank = trace_.ranks[r];
      json streams = json::array();
      for (std::uint32_t s = 0; s < rank.streams.size(); ++s) streams.push_back(stream(r, s));
      rows.push_back({{"rank", rank.world_rank},
                      {"host", rank.host},
                      {"begin_ns", rank.begin - run_.begin},
                      {"end_ns", rank.end - run_.begin},
                      {"complete", rank.complete},
                      {"time_stream", rank.streams.empty() ? 0 : time_stream(trace_, rank)},
                      {"bins", bin_columns(r, bins)},
                      {"streams", std::move(streams)}});
    }
    return rows;
  }

  /// Messages by the begin of their send, as columns: begin (difference to the previous message),
  /// time to the end of the receive, sender, receiver, bytes and tag (differences).
  json messages() {
    struct Line {
      std::int64_t begin, end;
      std::uint32_t message;
    };
    std::vector<Line> lines;
    for (std::uint32_t i = 0; i < trace_.messages.size(); ++i) {
      const trace::Message& message = trace_.messages[i];
      const trace::Operation& send = trace_.ranks[message.sender].operations[message.send];
      const trace::Rank& receiver = trace_.ranks[message.receiver];
      const trace::Operation& receive = receiver.operations[message.receive];
      if (receive.ended == kNone) continue;
      const std::int64_t begin = trace_.start(message.sender, send).begin;
      const std::int64_t end = receiver.streams[receive.end_stream].events[receive.ended].end;
      if (is_kept(begin, begin + 1) || is_kept(end, end + 1)) lines.push_back({begin, end, i});
    }
    std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.message < b.message;
    });
    ColumnBytes begins, durations, senders, receivers, bytes, tags;
    std::int64_t last_begin = run_.begin, last_tag = 0;
    std::uint64_t last_bytes = 0;
    for (const Line& line : lines) {
      const trace::Message& message = trace_.messages[line.message];
      const trace::Operation& send = trace_.ranks[message.sender].operations[message.send];
      begins.add_signed(line.begin - std::exchange(last_begin, line.begin));
      durations.add_signed(line.end - line.begin);
      senders.add(message.sender);
      receivers.add(message.receiver);
      bytes.add_signed(change(last_bytes, send.bytes));
      tags.add_signed(send.tag - std::exchange(last_tag, send.tag));
    }
    return {{"count", lines.size()},
            {"columns", join({begins, durations, senders, receivers, bytes, tags})}};
  }

  [[nodiscard]] const json& shapes() const { return shapes_.rows(); }
  [[nodiscard]] std::uint64_t kept_events() const { return kept_events_; }

private:
  [[nodiscard]] bool is_kept(std::int64_t begin, std::int64_t end) const {
    return std::any_of(windows_.begin(), windows_.end(),
                       [&](const TimelineWindow& window) { return is_in(window, begin, end); });
  }

  static std::string join(const std::vector<ColumnBytes>& columns) {
    std::string bytes;
    for (const ColumnBytes& column : columns) bytes += column.bytes();
    return base64(bytes);
  }

  json stream(std::uint32_t r, std::uint32_t s) {
    const trace::Stream& stream = trace_.ranks[r].streams[s];
    std::array<std::vector<std::uint32_t>, 3> groups;
    for (std::uint32_t i = 0; i < stream.events.size(); ++i) {
      const trace::Event& event = stream.events[i];
      if (!is_kept(event.begin, event.end)) continue;
      groups[static_cast<std::size_t>(group_of(trace_.shape(event).kind))].push_back(i);
    }
    return {{"tid", stream.tid},
            {"omp_thread", stream.omp_thread},
            {"calls", group(r, s, groups[0])},
            {"openmp", group(r, s, groups[1])},
            {"regions", group(r, s, groups[2])}};
  }

  /// Events of a stream by their begin, outer ones first, as columns: begin (difference to the
  /// previous event), duration, shape, bytes (difference to the shape's previous event), waiting.
  json group(std::uint32_t r, std::uint32_t s, std::vector<std::uint32_t>& chosen) {
    const std::vector<trace::Event>& events = trace_.ranks[r].streams[s].events;
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
      return events[a].begin != events[b].begin ? events[a].begin < events[b].begin
                                                : events[a].end > events[b].end;
    };
    if (!std::is_sorted(chosen.begin(), chosen.end(), before)) {
      std::stable_sort(chosen.begin(), chosen.end(), before);
    }
    ColumnBytes begins, durations, shapes, bytes, waits;
    std::unordered_map<std::uint32_t, std::uint64_t> last_bytes;
    std::int64_t last_begin = run_.begin;
    for (const std::uint32_t i : chosen) {
      const trace::Event& event = events[i];
      const std::uint32_t shape = shapes_.index_of(trace_.ranks[r], event);
      begins.add_signed(event.begin - std::exchange(last_begin, event.begin));
      durations.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, event.end - event.begin)));
      shapes.add(shape);
      bytes.add_signed(change(last_bytes[shape], event.bytes));
      const std::int64_t waited = wait_ ? wait_(r, s, i) : 0;
      waits.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, waited)));
    }
    kept_events_ += chosen.size();
    return {{"count", chosen.size()}, {"columns", join({begins, durations, shapes, bytes, waits})}};
  }

  std::string bin_columns(std::uint32_t rank, std::size_t bins) {
    const double width_ns = static_cast<double>(run_.end - run_.begin) / static_cast<double>(bins);
    std::vector<ColumnBytes> columns;
    for (const std::vector<double>& sums : fill_bins(trace_, rank, run_, bins, wait_)) {
      ColumnBytes& column = columns.emplace_back();
      for (const double ns : sums) {
        const double share = std::clamp(ns / width_ns, 0.0, 1.0);
        column.add(static_cast<std::uint64_t>(std::lround(share * kWholeBin)));
      }
    }
    return join(columns);
  }

  const trace::Trace& trace_;
  const WaitOfEvent& wait_;
  TimelineWindow run_;
  std::vector<TimelineWindow> windows_;
  PageShapes shapes_;
  std::uint64_t kept_events_ = 0;
};

std::size_t bins_of_rank(const trace::Trace& trace, const TimelineLimits& limits) {
  const std::uint64_t ranks = std::max<std::size_t>(1, trace.ranks.size());
  std::uint64_t bins = limits.bins;
  while (bins > limits.few && bins * ranks > limits.cells) bins /= 2;
  return std::max<std::uint64_t>(1, bins);
}

json communicators(const trace::Trace& trace) {
  json rows = json::array();
  for (const trace::Comm& comm : trace.comms) {
    rows.push_back(
        {{"name", comm.name}, {"size", comm.members.size() + comm.remote_members.size()}});
  }
  return rows;
}

}  // namespace

json timeline_to_json(const trace::Trace& trace, const trace::PlaceNames& names,
                      const WaitOfEvent& wait, const TimelineLimits& limits) {
  const TimelineWindow run = run_of(trace);
  const std::vector<TimelineWindow> windows = choose_windows(trace, run, limits.events);
  const std::size_t bins = bins_of_rank(trace, limits);
  Builder builder(trace, wait, run, windows);
  json ranks = builder.ranks(bins);
  json messages = builder.messages();
  json kept = json::array();
  for (const TimelineWindow& window : windows) {
    kept.push_back({window.begin - run.begin, window.end - run.begin});
  }
  return {{"schema", "plait-timeline"},
          {"schema_version", kTimelineSchemaVersion},
          {"end_ns", run.end - run.begin},
          {"bins", bins},
          {"categories", kTimeCategoryNames},
          {"whole_bin", kWholeBin},
          {"knows_waiting", static_cast<bool>(wait)},
          {"functions", trace.functions},
          {"sites", names.sites},
          {"regions", names.regions},
          {"comms", communicators(trace)},
          {"shapes", builder.shapes()},
          {"ranks", std::move(ranks)},
          {"messages", std::move(messages)},
          {"windows", std::move(kept)},
          {"events", count_events(trace, run)},
          {"kept_events", builder.kept_events()},
          {"all_messages", trace.messages.size()}};
}

}  // namespace plait::report
