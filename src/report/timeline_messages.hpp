// SPDX-License-Identifier: BSD-3-Clause
// The messages of the page's timeline.
#pragma once

#include <cstdint>
#include <vector>

#include "report/timeline_columns.hpp"
#include "report/timeline_source.hpp"
#include "report/timeline_windows.hpp"

namespace plait::report {

/// Collective. At most `most` messages that begin or end in some windows, to or from ranks with
/// rows of their own: those for which receivers waited longest; of equal ones, some of each time.
/// They are sorted by the begin of their send, as columns: begin (difference to the previous
/// message), time to the end of the receive, rows of sender and receiver, bytes and tag
/// (differences).
/// @returns the columns on process 0, none on the others
JoinedColumns timeline_messages(const TimelineSource& of,
                                const std::vector<TimelineWindow>& windows, std::uint64_t most);

}  // namespace plait::report
