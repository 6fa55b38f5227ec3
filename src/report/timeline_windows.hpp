// SPDX-License-Identifier: BSD-3-Clause
// Which parts of a long run keep their single events in the page.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.hpp"

namespace plait::report {

/// A part of the run, ns: [begin, end).
struct TimelineWindow {
  std::int64_t begin = 0, end = 0;
};

/// The run: from the first rank's end of MPI_Init to the last one's begin of MPI_Finalize. The page
/// counts its time from the begin, as the analysis does. Of a trace without events [0, 1).
TimelineWindow run_of(const trace::Trace& trace);

/// Whether an event lies in a window, if only in part.
bool is_in(const TimelineWindow& window, std::int64_t begin, std::int64_t end);

/// Events in a window.
std::uint64_t count_events(const trace::Trace& trace, const TimelineWindow& window);

/// The whole run when it has at most `limit` events; else windows at its begin, in its middle and
/// at its end that hold a third of them each. Ascending, not touching.
std::vector<TimelineWindow> choose_windows(const trace::Trace& trace, const TimelineWindow& run,
                                           std::uint64_t limit);

}  // namespace plait::report
