// SPDX-License-Identifier: BSD-3-Clause
// The data of the page's timeline: events, messages and an overview in bins.
//
// The page draws bins (how each row spent each of some thousand equal parts of the run) until few
// enough events are visible, then the events. Events and messages are columns of variable-length
// integers in base64 (docs/reference/report.md). The page stays small: of very many ranks, several
// share a row without events; of too many events only windows are kept; of too many messages those
// that ranks waited for longest. The page says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/message_ends.hpp"
#include "base/json.hpp"
#include "base/processes.hpp"
#include "trace/site_names.hpp"
#include "trace/trace.hpp"

namespace plait::report {

/// Version of the data that the page reads.
inline constexpr int kTimelineSchemaVersion = 1;

/// Nanoseconds from its begin that an event waited for another rank: (rank, stream, event).
using WaitOfEvent = std::function<std::int64_t(std::uint32_t, std::uint32_t, std::uint32_t)>;

/// Limits of the size of the page: with all of them, the data take 3 MB.
struct TimelineLimits {
  std::uint64_t events = 180'000;       ///< beyond it only windows are kept
  std::uint64_t messages = 60'000;      ///< beyond it those that ranks waited for longest
  std::size_t bytes = 2'200'000;        ///< of events and messages; beyond it fewer are kept
  std::uint64_t cells = 1U << 17U;      ///< rows x bins
  std::uint32_t bins = 4096, few = 64;  ///< most and least bins of a row
  std::size_t ranks = 256;              ///< of more, several share a row
};

/// What matters most in a trace: it keeps its events where not all can be kept.
struct TimelineFocus {
  std::vector<std::int64_t> times;  ///< of the trace, ns
  std::vector<int> ranks;           ///< world ranks, the most important first
};

/// Who makes a timeline.
struct TimelineTeam {
  unsigned threads = 0;            ///< that work at most; 0: as many as there are usable CPUs
  Processes* processes = nullptr;  ///< that have the other parts of the trace; null: it is whole
  const analysis::MessageEnds* ends = nullptr;  ///< in a part of a trace
};

/// The data of the page's timeline, in time linear in the number of events. Collective among the
/// processes that have parts of the trace.
/// @param names  of process 0
/// @param wait  of events of own ranks, on several threads; null: waiting is not distinguished from
///              communication
/// @param focus, limits  the same in all processes
/// @returns the data on process 0, null on the others
nlohmann::json timeline_to_json(const trace::Trace& trace, const trace::PlaceNames& names,
                                const WaitOfEvent& wait, const TimelineFocus& focus = {},
                                TimelineLimits limits = {}, const TimelineTeam& team = {});

}  // namespace plait::report
