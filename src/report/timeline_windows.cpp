// SPDX-License-Identifier: BSD-3-Clause
// The parts of a long run whose events the page keeps.
#include "report/timeline_windows.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/parallel.hpp"

namespace plait::report {
namespace {

constexpr std::size_t kSteps = 1U << 16U;

/// The step of a time, of kSteps equal parts of the run.
std::size_t step_of(const TimelineWindow& run, std::int64_t time) {
  const double steps_per_ns =
      static_cast<double>(kSteps) / static_cast<double>(run.end - run.begin);
  const double at = static_cast<double>(std::max(run.begin, time) - run.begin) * steps_per_ns;
  return std::min(kSteps - 1, static_cast<std::size_t>(at));
}

struct Steps {
  std::size_t first = 0, last = 0;  // [first, last)
};

/// Grows from `seed` to both sides in turn until the next step would exceed the budget.
Steps grow(const std::vector<std::uint32_t>& counts, std::size_t seed, std::uint64_t budget) {
  Steps steps{seed, seed};
  std::uint64_t events = 0;
  bool left_open = true;
  bool right_open = true;
  const auto take = [&](std::size_t step, bool& open) {
    open = events + counts[step] <= budget;
    if (open) events += counts[step];
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

TimelineWindow run_of(const trace::Trace& trace) {
  TimelineWindow run{std::numeric_limits<std::int64_t>::max(), 0};
  for (const trace::Rank& rank : trace.ranks) {
    if (rank.streams.empty()) continue;
    run.begin = std::min(run.begin, rank.begin);
    run.end = std::max(run.end, rank.end);
  }
  return run.end > run.begin ? run : TimelineWindow{0, 1};
}

std::uint64_t count_events(const trace::Trace& trace, const TimelineWindow& window,
                           unsigned threads) {
  std::vector<std::uint64_t> counts(trace.ranks.size(), 0);
  for_each_index(
      counts.size(),
      [&](std::size_t rank) {
        for (const trace::Stream& stream : trace.ranks[rank].streams) {
          counts[rank] += static_cast<std::uint64_t>(std::count_if(
              stream.events.begin(), stream.events.end(),
              [&](const trace::Event& event) { return is_in(window, event.begin, event.end); }));
        }
      },
      threads);
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::vector<std::uint32_t> count_begins(const trace::Trace& trace,
                                        const std::vector<TimelineRow>& rows,
                                        const TimelineWindow& run) {
  std::vector<std::uint32_t> counts(kSteps, 0);
  for (const TimelineRow& row : rows) {
    if (!row.is_single()) continue;
    for (const trace::Stream& stream : trace.ranks[row.first].streams) {
      for (const trace::Event& event : stream.events) {
        if (is_in(run, event.begin, event.end)) ++counts[step_of(run, event.begin)];
      }
    }
  }
  return counts;
}

std::vector<TimelineWindow> choose_windows(const std::vector<std::uint32_t>& begins,
                                           const TimelineWindow& run, std::uint64_t limit,
                                           const std::vector<std::int64_t>& times) {
  if (std::accumulate(begins.begin(), begins.end(), std::uint64_t{0}) <= limit) return {run};
  std::vector<std::size_t> seeds{0, kSteps / 2, kSteps};
  for (const std::int64_t time : times) seeds.push_back(step_of(run, time));
  std::sort(seeds.begin(), seeds.end());
  const auto time_of = [&](std::size_t step) {
    return run.begin +
           static_cast<std::int64_t>(static_cast<double>(step) / static_cast<double>(kSteps) *
                                     static_cast<double>(run.end - run.begin));
  };
  std::vector<TimelineWindow> windows;
  for (const std::size_t seed : seeds) {
    const Steps steps = grow(begins, seed, limit / seeds.size());
    if (steps.first == steps.last) continue;
    const TimelineWindow window{time_of(steps.first), time_of(steps.last)};
    if (!windows.empty() && window.begin <= windows.back().end) {
      windows.back().begin = std::min(windows.back().begin, window.begin);
      windows.back().end = std::max(windows.back().end, window.end);
    } else {
      windows.push_back(window);
    }
  }
  return windows;
}

}  // namespace plait::report
