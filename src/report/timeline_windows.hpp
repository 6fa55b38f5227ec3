// SPDX-License-Identifier: BSD-3-Clause
// The parts of a long run whose events the page keeps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "report/timeline_rows.hpp"
#include "trace/trace.hpp"

namespace plait::report {

/// A part of the run: [begin, end) in ns.
struct TimelineWindow {
  std::int64_t begin = 0, end = 0;
};

/// The run: from the first end of MPI_Init to the last begin of MPI_Finalize; [0, 1) for a trace
/// without events. Times in the page are relative to its begin, as in the analysis.
TimelineWindow run_of(const trace::Trace& trace);

/// True if an event overlaps a window.
inline bool is_in(const TimelineWindow& window, std::int64_t begin, std::int64_t end) {
  return begin < window.end && (end > window.begin || begin == window.begin);
}
/// True if it overlaps one of them.
inline bool is_in(const std::vector<TimelineWindow>& windows, std::int64_t begin,
                  std::int64_t end) {
  return std::any_of(windows.begin(), windows.end(),
                     [&](const TimelineWindow& window) { return is_in(window, begin, end); });
}

/// The number of events that overlap a window, of the ranks that this process has.
/// @param threads  that work at most; 0: as many as there are usable CPUs
std::uint64_t count_events(const trace::Trace& trace, const TimelineWindow& window,
                           unsigned threads = 0);

/// The number of events that begin in each of equal parts of the run, of the ranks with rows of
/// their own that this process has.
std::vector<std::uint32_t> count_begins(const trace::Trace& trace,
                                        const std::vector<TimelineRow>& rows,
                                        const TimelineWindow& run);

/// The whole run if the ranks with rows of their own have at most `limit` events there; else
/// windows around `times` and at the begin, middle and end of the run, with equal parts of `limit`.
/// In ascending order, disjoint.
/// @param begins  from count_begins(), of all processes
/// @param times  of the trace, ns
std::vector<TimelineWindow> choose_windows(const std::vector<std::uint32_t>& begins,
                                           const TimelineWindow& run, std::uint64_t limit,
                                           const std::vector<std::int64_t>& times);

}  // namespace plait::report
