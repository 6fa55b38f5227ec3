// SPDX-License-Identifier: BSD-3-Clause
// The inputs of all parts of a timeline.
#pragma once

#include <vector>

#include "report/timeline.hpp"
#include "report/timeline_rows.hpp"
#include "report/timeline_windows.hpp"
#include "trace/trace.hpp"

namespace plait::report {

/// A trace, and how the page shows it.
struct TimelineSource {
  const trace::Trace& trace;
  const WaitOfEvent& wait;
  const TimelineTeam& team;
  TimelineWindow run;
  std::vector<TimelineRow> rows;
};

}  // namespace plait::report
