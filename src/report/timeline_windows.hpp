// SPDX-License-Identifier: BSD-3-Clause
// The parts of a long run whose events the page keeps.
#pragma once

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
bool is_in(const TimelineWindow& window, std::int64_t begin, std::int64_t end);

/// The number of events that overlap a window.
std::uint64_t count_events(const trace::Trace& trace, const TimelineWindow& window);

/// The whole run if the ranks with rows of their own have at most `limit` events there; else
/// windows around `times` and at the begin, middle and end of the run, with equal parts of `limit`.
/// In ascending order, disjoint.
/// @param times  of the trace, ns
std::vector<TimelineWindow> choose_windows(const trace::Trace& trace,
                                           const std::vector<TimelineRow>& rows,
                                           const TimelineWindow& run, std::uint64_t limit,
                                           const std::vector<std::int64_t>& times);

}  // namespace plait::report
