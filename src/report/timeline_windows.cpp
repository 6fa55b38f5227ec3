// SPDX-License-Identifier: BSD-3-Clause
// Which parts of a long run keep their single events in the page.
#include "report/timeline_windows.hpp"

#include <algorithm>

namespace plait::report {
namespace {

constexpr std::size_t kSteps = 1U << 16U;

/// Events that begin in each of kSteps equal parts of the run.
std::vector<std::uint32_t> count_begins(const trace::Trace& trace, std::int64_t end) {
  std::vector<std::uint32_t> counts(kSteps, 0);
  const double steps_per_ns = static_cast<double>(kSteps) / static_cast<double>(end);
  for (const trace::Rank& rank : trace.ranks) {
    for (const trace::Stream& stream : rank.streams) {
      for (const trace::Event& event : stream.events) {
        const double at =
            static_cast<double>(std::max<std::int64_t>(0, event.begin)) * steps_per_ns;
        ++counts[std::min(kSteps - 1, static_cast<std::size_t>(at))];
      }
    }
  }
  return counts;
}

struct Steps {
  std::size_t first = 0, last = 0;  // [first, last)
};

/// Grows from `seed` to both sides in turn until the next step would pass the budget.
Steps grow(const std::vector<std::uint32_t>& counts, std::size_t seed, std::uint64_t budget) {
  Steps steps{seed, seed};
  std::uint64_t held = 0;
  bool left_open = true;
  bool right_open = true;
  const auto take = [&](std::size_t step, bool& open) {
    open = held + counts[step] <= budget;
    if (open) held += counts[step];
    return open;
  };
  while (left_open || right_open) {
    right_open = right_open && steps.last < counts.size();
    if (right_open && take(steps.last, right_open)) ++steps.last;
    left_open = left_open && steps.first > 0;
    if (left_open && take(steps.first - 1, left_open)) --steps.first;
  }
  return steps;
}

}  // namespace

std::int64_t end_of(const trace::Trace& trace) {
  std::int64_t end = 0;
  for (const trace::Rank& rank : trace.ranks) {
    end = std::max(end, rank.end);
    for (const trace::Stream& stream : rank.streams) {
      for (const trace::Event& event : stream.events) end = std::max(end, event.end);
    }
  }
  return end;
}

std::vector<TimelineWindow> choose_windows(const trace::Trace& trace, std::uint64_t limit) {
  const std::int64_t end = std::max<std::int64_t>(1, end_of(trace));
  if (trace::event_count(trace) <= limit) return {{0, end}};
  const std::vector<std::uint32_t> counts = count_begins(trace, end);
  std::vector<TimelineWindow> windows;
  const auto time_of = [&](std::size_t step) {
    return static_cast<std::int64_t>(static_cast<double>(step) / static_cast<double>(kSteps) *
                                     static_cast<double>(end));
  };
  for (const std::size_t seed : {std::size_t{0}, kSteps / 2, kSteps}) {
    const Steps steps = grow(counts, seed, limit / 3);
    if (steps.first == steps.last) continue;
    const TimelineWindow window{time_of(steps.first), time_of(steps.last)};
    if (!windows.empty() && window.begin <= windows.back().end) {
      windows.back().end = std::max(windows.back().end, window.end);
    } else {
      windows.push_back(window);
    }
  }
  return windows;
}

}  // namespace plait::report
