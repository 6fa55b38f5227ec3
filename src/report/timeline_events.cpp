// SPDX-License-Identifier: BSD-3-Clause
// The single events of the page's timeline.
#include "report/timeline_events.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/parallel.hpp"
#include "base/plain_bytes.hpp"
#include "report/timeline_bins.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
using trace::EventKind;
using trace::kNone;

/// Numbers the combinations of shape and category in the order in which they are added.
class ShapeNumbers {
public:
  void add(const std::vector<std::uint64_t>& shapes) {
    for (const std::uint64_t shape : shapes) {
      if (known_.try_emplace(shape, static_cast<std::uint32_t>(all_.size())).second) {
        all_.push_back(shape);
      }
    }
  }
  [[nodiscard]] std::uint32_t of(std::uint64_t shape) const { return known_.at(shape); }
  [[nodiscard]] const std::vector<std::uint64_t>& all() const { return all_; }

private:
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
  std::vector<std::uint64_t> all_;
};

/// A group of events before shapes have numbers.
struct Draft {
  std::vector<std::uint64_t> shapes;    ///< in the order of their first use
  std::vector<std::uint32_t> shape_of;  ///< by event: index into `shapes`
  ColumnBytes begins, durations, bytes, waits;
};

std::size_t group_of(EventKind kind) {
  if (kind == EventKind::region) return 2;
  return is_call(kind) ? 0 : 1;
}

/// @param chosen  events of a stream
Draft draft_group(const TimelineSource& of, std::uint32_t rank, std::uint32_t stream,
                  std::vector<std::uint32_t>& chosen) {
  const trace::Rank& of_rank = of.trace.ranks[rank];
  const std::vector<trace::Event>& events = of_rank.streams[stream].events;
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return events[a].begin != events[b].begin ? events[a].begin < events[b].begin
                                              : events[a].end > events[b].end;
  };
  if (!std::is_sorted(chosen.begin(), chosen.end(), before)) {
    std::stable_sort(chosen.begin(), chosen.end(), before);
  }
  Draft draft;
  std::unordered_map<std::uint64_t, std::uint32_t> known;
  std::vector<std::uint64_t> last_bytes;  // by shape
  std::int64_t last_begin = of.run.begin;
  for (const std::uint32_t i : chosen) {
    const trace::Event& event = events[i];
    const std::uint64_t shape = std::uint64_t{event.shape} * kTimeCategories +
                                static_cast<std::uint64_t>(category_of(of.trace, of_rank, event));
    const auto [at, is_new] =
        known.try_emplace(shape, static_cast<std::uint32_t>(draft.shapes.size()));
    if (is_new) {
      draft.shapes.push_back(shape);
      last_bytes.push_back(0);
    }
    const std::int64_t waited = of.wait ? of.wait(rank, stream, i) : 0;
    draft.shape_of.push_back(at->second);
    draft.begins.add_signed(event.begin - std::exchange(last_begin, event.begin));
    draft.durations.add(
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, event.end - event.begin)));
    draft.bytes.add_change(last_bytes[at->second], event.bytes);
    draft.waits.add(static_cast<std::uint64_t>(std::max<std::int64_t>(0, waited)));
  }
  return draft;
}

/// The groups of each stream of a rank.
std::vector<Draft> draft_rank(const TimelineSource& of, std::uint32_t rank,
                              const std::vector<TimelineWindow>& windows) {
  std::vector<Draft> drafts;
  const std::vector<trace::Stream>& streams = of.trace.ranks[rank].streams;
  for (std::uint32_t s = 0; s < streams.size(); ++s) {
    std::array<std::vector<std::uint32_t>, kEventGroups> groups;
    for (std::uint32_t i = 0; i < streams[s].events.size(); ++i) {
      const trace::Event& event = streams[s].events[i];
      if (!is_in(windows, event.begin, event.end)) continue;
      groups[group_of(of.trace.shape(event).kind)].push_back(i);
    }
    for (std::vector<std::uint32_t>& group : groups) {
      drafts.push_back(draft_group(of, rank, s, group));
    }
  }
  return drafts;
}

JoinedColumns finish(const Draft& draft, const ShapeNumbers& numbers) {
  std::vector<std::uint32_t> number_of;
  for (const std::uint64_t shape : draft.shapes) number_of.push_back(numbers.of(shape));
  ColumnBytes shapes;
  for (const std::uint32_t shape : draft.shape_of) shapes.add(number_of[shape]);
  return {draft.shape_of.size(),
          joined({draft.begins, draft.durations, shapes, draft.bytes, draft.waits})};
}

/// Collective. Numbers the shapes of all processes, which have the ranks in order.
ShapeNumbers number_shapes(const std::vector<std::vector<Draft>>& drafts, Processes* processes) {
  ShapeNumbers own;
  for (const std::vector<Draft>& of_row : drafts) {
    for (const Draft& draft : of_row) own.add(draft.shapes);
  }
  if (processes == nullptr) return own;
  BytesWriter text;
  text(own.all());
  ShapeNumbers numbers;
  for (const std::string& of_process : processes->exchange(text.take())) {
    std::vector<std::uint64_t> shapes;
    BytesReader reader(of_process);
    reader(shapes);
    numbers.add(shapes);
  }
  return numbers;
}

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

}  // namespace

TimelineEvents timeline_events(const TimelineSource& of,
                               const std::vector<TimelineWindow>& windows) {
  TimelineEvents events;
  for (std::uint32_t row = 0; row < of.rows.size(); ++row) {
    if (of.rows[row].is_single() && of.trace.has(of.rows[row].first)) {
      events.rows.push_back({row, 0, {}});
    }
  }
  std::vector<std::vector<Draft>> drafts(events.rows.size());
  for_each_index(
      drafts.size(),
      [&](std::size_t i) {
        const std::uint32_t rank = of.rows[events.rows[i].row].first;
        drafts[i] = draft_rank(of, rank, windows);
        if (!drafts[i].empty()) {
          events.rows[i].time_stream = time_stream(of.trace, of.trace.ranks[rank]);
        }
      },
      of.team.threads);
  const ShapeNumbers numbers = number_shapes(drafts, of.team.processes);
  for_each_index(
      drafts.size(),
      [&](std::size_t i) {
        for (const Draft& draft : drafts[i]) {
          events.rows[i].groups.push_back(finish(draft, numbers));
        }
        drafts[i].clear();
      },
      of.team.threads);
  events.shapes = numbers.all();
  return events;
}

json shapes_to_json(const trace::Trace& trace, const std::vector<std::uint64_t>& shapes) {
  json rows = json::array();
  for (const std::uint64_t number : shapes) {
    const trace::Shape& shape = trace.shapes[number / kTimeCategories];
    const bool has_tag = shape.tag != PLAIT_ANY_TAG;
    rows.push_back({trace::kind_name(shape.kind), kTimeCategoryNames[number % kTimeCategories],
                    index_or_null(shape.function), index_or_null(shape.site),
                    index_or_null(shape.comm), partner_of(trace, shape),
                    has_tag ? json(shape.tag) : json(nullptr),
                    (shape.flags & PLAIT_SHAPE_WILDCARD) != 0});
  }
  return rows;
}

}  // namespace plait::report
