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

/// End of the last event or rank, ns.
std::int64_t end_of(const trace::Trace& trace);

/// The whole run when it has at most `limit` events; else windows at its begin, in its middle and
/// at its end that hold a third of them each. Ascending, not touching.
std::vector<TimelineWindow> choose_windows(const trace::Trace& trace, std::uint64_t limit);

}  // namespace plait::report
