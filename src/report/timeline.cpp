// SPDX-License-Identifier: BSD-3-Clause
// The data of the page's timeline.
#include "report/timeline.hpp"

#include <algorithm>
#include <utility>

#include "base/combine.hpp"
#include "report/timeline_bins.hpp"
#include "report/timeline_columns.hpp"
#include "report/timeline_events.hpp"
#include "report/timeline_messages.hpp"
#include "report/timeline_rows.hpp"
#include "report/timeline_source.hpp"
#include "report/timeline_windows.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

constexpr auto kAdd = [](auto one, auto& sum) { sum += one; };

/// A row without its bins and streams.
json row_to_json(const TimelineSource& of, const TimelineRow& row, std::uint32_t ranks) {
  const trace::Rank& rank = of.trace.ranks[row.first];
  std::int64_t begin = rank.begin, end = rank.end;
  bool complete = true, same_host = true;
  for (std::uint32_t r = row.first; r < row.last; ++r) {
    const trace::Rank& each = of.trace.ranks[r];
    if (each.left_out) continue;
    begin = std::min(begin, each.begin);
    end = std::max(end, each.end);
    complete = complete && each.complete;
    same_host = same_host && each.host == rank.host;
  }
  json value{{"rank", rank.world_rank},
             {"host", same_host ? rank.host : ""},
             {"begin_ns", begin - of.run.begin},
             {"end_ns", end - of.run.begin},
             {"complete", complete},
             {"time_stream", 0},
             {"streams", json::array()}};
  if (!row.is_single()) {
    value["last_rank"] = of.trace.ranks[row.last - 1].world_rank;
    value["count"] = ranks;
  }
  return value;
}

json streams_to_json(const trace::Rank& rank, const RowEvents& events) {
  json streams = json::array();
  for (std::size_t s = 0; s < rank.streams.size(); ++s) {
    json& stream = streams.emplace_back(
        json{{"tid", rank.streams[s].tid}, {"omp_thread", rank.streams[s].omp_thread}});
    for (std::size_t group = 0; group < kEventGroups; ++group) {
      stream[kEventGroupNames[group]] = columns_to_json(events.groups[s * kEventGroups + group]);
    }
  }
  return streams;
}

/// The rows of a timeline, with the events of those of one rank.
json rows_to_json(const TimelineSource& of, const std::vector<RowEvents>& events,
                  const RowBins& bins) {
  json rows = json::array();
  for (std::size_t i = 0; i < of.rows.size(); ++i) {
    const TimelineRow& row = of.rows[i];
    const auto ranks = static_cast<std::uint32_t>(
        std::count_if(of.trace.ranks.begin() + row.first, of.trace.ranks.begin() + row.last,
                      [](const trace::Rank& rank) { return !rank.left_out; }));
    json& value = rows.emplace_back(row_to_json(of, row, ranks));
    value["bins"] = bins.columns(i, ranks);
  }
  for (const RowEvents& of_row : events) {
    json& value = rows[of_row.row];
    value["time_stream"] = of_row.time_stream;
    value["streams"] = streams_to_json(of.trace.ranks[of.rows[of_row.row].first], of_row);
  }
  return rows;
}

/// What the page keeps of a trace.
struct Kept {
  std::vector<TimelineWindow> windows;
  TimelineEvents events;
  JoinedColumns messages;
  std::uint64_t event_count = 0;  ///< of all processes
};

/// Collective. Chooses fewer events and messages until they take no more bytes than they may.
Kept choose(const TimelineSource& of, const std::vector<std::int64_t>& times,
            TimelineLimits limits) {
  std::vector<std::uint32_t> begins = count_begins(of.trace, of.rows, of.run);
  combine(of.team.processes, begins, kAdd);
  for (;;) {
    Kept kept;
    kept.windows = choose_windows(begins, of.run, limits.events, times);
    kept.events = timeline_events(of, kept.windows);
    kept.messages = timeline_messages(of, kept.windows, limits.messages);
    std::vector<std::uint64_t> sums{kept.messages.columns.size(), 0, kept.messages.count};
    for (const RowEvents& row : kept.events.rows) {
      for (const JoinedColumns& group : row.groups) {
        sums[0] += group.columns.size();
        sums[1] += group.count;
      }
    }
    combine(of.team.processes, sums, kAdd);
    const std::uint64_t bytes = sums[0], messages = sums[2];
    kept.event_count = sums[1];
    if (bytes <= limits.bytes) return kept;
    const double part = 0.9 * static_cast<double>(limits.bytes) / static_cast<double>(bytes);
    const auto less = [&](std::uint64_t limit, std::uint64_t count) {
      return static_cast<std::uint64_t>(static_cast<double>(std::min(limit, count)) * part);
    };
    limits.events = less(limits.events, kept.event_count);
    limits.messages = less(limits.messages, messages);
  }
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
                      const WaitOfEvent& wait, const TimelineFocus& focus, TimelineLimits limits,
                      const TimelineTeam& team) {
  const TimelineSource of{trace, wait, team, run_of(trace),
                          timeline_rows(trace, focus.ranks, limits.ranks)};
  const std::size_t bins = bins_of_row(of.rows.size(), limits);
  std::vector<std::uint64_t> events{count_events(trace, of.run, team.threads)};
  combine(team.processes, events, kAdd);
  Kept kept = choose(of, focus.times, limits);
  gather(team.processes, kept.events.rows);
  const RowBins row_bins(of, bins);
  if (rank_of(team.processes) != 0) return nullptr;
  json windows = json::array();
  for (const TimelineWindow& window : kept.windows) {
    windows.push_back({window.begin - of.run.begin, window.end - of.run.begin});
  }
  return {{"schema", "plait-timeline"},
          {"schema_version", kTimelineSchemaVersion},
          {"end_ns", of.run.end - of.run.begin},
          {"bins", bins},
          {"categories", kTimeCategoryNames},
          {"whole_bin", kWholeBin},
          {"knows_waiting", static_cast<bool>(wait)},
          {"functions", trace.functions},
          {"sites", names.sites},
          {"regions", names.regions},
          {"comms", communicators(trace)},
          {"events", events.front()},
          {"all_messages", trace.message_count},
          {"ranks", rows_to_json(of, kept.events.rows, row_bins)},
          {"messages", columns_to_json(kept.messages)},
          {"shapes", shapes_to_json(trace, kept.events.shapes)},
          {"kept_events", kept.event_count},
          {"windows", std::move(windows)}};
}

}  // namespace plait::report
