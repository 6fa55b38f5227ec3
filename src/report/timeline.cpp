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
#include "report/timeline_rows.hpp"
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

std::string joined(const std::vector<ColumnBytes>& columns) {
  std::string bytes;
  for (const ColumnBytes& column : columns) bytes += column.bytes();
  return base64(bytes);
}

class Builder {
public:
  Builder(const trace::Trace& trace, const WaitOfEvent& wait, const TimelineWindow& run,
          const std::vector<TimelineRow>& rows, std::vector<TimelineWindow> windows)
      : trace_(trace),
        wait_(wait),
        run_(run),
        rows_(rows),
        windows_(std::move(windows)),
        shapes_(trace) {}

  /// The rows without their bins.
  json rows() {
    json rows = json::array();
    for (const TimelineRow& of : rows_) {
      const trace::Rank& rank = trace_.ranks[of.first];
      json streams = json::array();
      std::int64_t begin = rank.begin, end = rank.end;
      bool complete = true, same_host = true;
      std::uint32_t count = 0;
      for (std::uint32_t r = of.first; r < of.last; ++r) {
        const trace::Rank& each = trace_.ranks[r];
        if (each.left_out) continue;
        ++count;
        begin = std::min(begin, each.begin);
        end = std::max(end, each.end);
        complete = complete && each.complete;
        same_host = same_host && each.host == rank.host;
      }
      for (std::uint32_t s = 0; of.is_single() && s < rank.streams.size(); ++s) {
        streams.push_back(stream(of.first, s));
      }
      json row{{"rank", rank.world_rank},
               {"host", same_host ? rank.host : ""},
               {"begin_ns", begin - run_.begin},
               {"end_ns", end - run_.begin},
               {"complete", complete},
               {"time_stream", streams.empty() ? 0 : time_stream(trace_, rank)},
               {"streams", std::move(streams)}};
      if (!of.is_single()) {
        row["last_rank"] = trace_.ranks[of.last - 1].world_rank;
        row["count"] = count;
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }

  /// At most `most` messages by the begin of their send, as columns: begin (difference to the
  /// previous message), time to the end of the receive, rows of sender and receiver, bytes and tag
  /// (differences).
  json messages(std::uint64_t most) {
    std::vector<std::uint32_t> row_of(trace_.ranks.size());
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      std::fill(row_of.begin() + rows_[i].first, row_of.begin() + rows_[i].last, i);
    }
    const auto is_alone = [&](std::uint32_t rank) { return rows_[row_of[rank]].is_single(); };
    std::vector<Line> lines;
    for (std::uint32_t i = 0; i < trace_.messages.size(); ++i) {
      const trace::Message& message = trace_.messages[i];
      if (!is_alone(message.sender) && !is_alone(message.receiver)) continue;
      const trace::Operation& send = trace_.ranks[message.sender].operations[message.send];
      const trace::Rank& receiver = trace_.ranks[message.receiver];
      const trace::Operation& receive = receiver.operations[message.receive];
      if (receive.ended == kNone) continue;
      const std::int64_t begin = trace_.start(message.sender, send).begin;
      const std::int64_t end = receiver.streams[receive.end_stream].events[receive.ended].end;
      if (is_kept(begin, begin + 1) || is_kept(end, end + 1)) lines.push_back({begin, end, i});
    }
    keep_most_waited(lines, most);
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
      senders.add(row_of[message.sender]);
      receivers.add(row_of[message.receiver]);
      bytes.add_signed(change(last_bytes, send.bytes));
      tags.add_signed(send.tag - std::exchange(last_tag, send.tag));
    }
    return {{"count", lines.size()},
            {"columns", join({begins, durations, senders, receivers, bytes, tags})}};
  }

  [[nodiscard]] const json& shapes() const { return shapes_.rows(); }
  [[nodiscard]] std::uint64_t kept_events() const { return kept_events_; }
  /// Of the columns of events and messages so far.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
  struct Line {
    std::int64_t begin, end;
    std::uint32_t message;
  };

  /// Keeps the messages for which receivers waited longest; of equal ones, some of each time.
  void keep_most_waited(std::vector<Line>& lines, std::uint64_t most) const {
    if (lines.size() <= most) return;
    struct Worth {
      std::int64_t waited;
      std::uint64_t lot;
      std::size_t line;
    };
    std::vector<Worth> worths;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::uint64_t message = lines[i].message;
      const trace::Message& of = trace_.messages[message];
      const trace::Operation& receive = trace_.ranks[of.receiver].operations[of.receive];
      const std::int64_t waited = wait_ ? wait_(of.receiver, receive.end_stream, receive.ended) : 0;
      worths.push_back({waited, (message + 1) * 0x9e3779b97f4a7c15U, i});
    }
    const auto middle = worths.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(worths.begin(), middle, worths.end(), [](const Worth& a, const Worth& b) {
      return a.waited != b.waited ? a.waited > b.waited : a.lot < b.lot;
    });
    std::vector<Line> kept;
    for (auto at = worths.begin(); at != middle; ++at) kept.push_back(lines[at->line]);
    lines = std::move(kept);
  }

  [[nodiscard]] bool is_kept(std::int64_t begin, std::int64_t end) const {
    return std::any_of(windows_.begin(), windows_.end(),
                       [&](const TimelineWindow& window) { return is_in(window, begin, end); });
  }

  std::string join(const std::vector<ColumnBytes>& columns) {
    std::string text = joined(columns);
    bytes_ += text.size();
    return text;
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

  const trace::Trace& trace_;
  const WaitOfEvent& wait_;
  TimelineWindow run_;
  const std::vector<TimelineRow>& rows_;
  std::vector<TimelineWindow> windows_;
  PageShapes shapes_;
  std::uint64_t kept_events_ = 0;
  std::size_t bytes_ = 0;
};

/// The mean shares of a row's ranks, as columns of bins.
std::string bin_columns(const trace::Trace& trace, const WaitOfEvent& wait,
                        const TimelineWindow& run, const TimelineRow& row, std::size_t bins) {
  std::array<std::vector<double>, kTimeCategories> sums =
      fill_bins(trace, row.first, run, bins, wait);
  std::uint32_t count = 1;
  for (std::uint32_t rank = row.first + 1; rank < row.last; ++rank) {
    if (trace.ranks[rank].left_out) continue;
    ++count;
    const auto more = fill_bins(trace, rank, run, bins, wait);
    for (std::size_t c = 0; c < sums.size(); ++c) {
      for (std::size_t bin = 0; bin < bins; ++bin) sums[c][bin] += more[c][bin];
    }
  }
  const double whole_ns = static_cast<double>(run.end - run.begin) / static_cast<double>(bins) *
                          static_cast<double>(count);
  std::vector<ColumnBytes> columns;
  for (const std::vector<double>& sum : sums) {
    ColumnBytes& column = columns.emplace_back();
    for (const double ns : sum) {
      const double share = std::clamp(ns / whole_ns, 0.0, 1.0);
      column.add(static_cast<std::uint64_t>(std::lround(share * kWholeBin)));
    }
  }
  return joined(columns);
}

std::size_t bins_of_row(std::size_t rows, const TimelineLimits& limits) {
  std::uint64_t bins = limits.bins;
  while (bins > limits.few && bins * rows > limits.cells) bins /= 2;
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
                      const WaitOfEvent& wait, const TimelineFocus& focus, TimelineLimits limits) {
  const TimelineWindow run = run_of(trace);
  const std::vector<TimelineRow> rows = timeline_rows(trace, focus.ranks, limits.ranks);
  const std::size_t bins = bins_of_row(rows.size(), limits);
  json value{{"schema", "plait-timeline"},
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
             {"events", count_events(trace, run)},
             {"all_messages", trace.messages.size()}};
  for (;;) {
    const std::vector<TimelineWindow> windows =
        choose_windows(trace, rows, run, limits.events, focus.times);
    Builder builder(trace, wait, run, rows, windows);
    value["ranks"] = builder.rows();
    value["messages"] = builder.messages(limits.messages);
    value["shapes"] = builder.shapes();
    value["kept_events"] = builder.kept_events();
    value["windows"] = json::array();
    for (const TimelineWindow& window : windows) {
      value["windows"].push_back({window.begin - run.begin, window.end - run.begin});
    }
    if (builder.bytes() <= limits.bytes) break;
    const double part =
        0.9 * static_cast<double>(limits.bytes) / static_cast<double>(builder.bytes());
    limits.events = static_cast<std::uint64_t>(
        static_cast<double>(std::min(limits.events, builder.kept_events())) * part);
    limits.messages = static_cast<std::uint64_t>(
        std::min<double>(static_cast<double>(limits.messages), value["messages"]["count"]) * part);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    value["ranks"][i]["bins"] = bin_columns(trace, wait, run, rows[i], bins);
  }
  return value;
}

}  // namespace plait::report
