// SPDX-License-Identifier: BSD-3-Clause
// The data of the page's timeline: events, messages and an overview in bins.
//
// The page draws bins (how each rank spent each of some thousand equal parts of the run) until few
// enough events are visible, then the events. Events and messages are columns of variable-length
// integers in base64 (docs/reference/report.md). Of a trace with too many events only windows are
// kept, and the page says so.
#pragma once

#include <cstdint>
#include <functional>

#include "base/json.hpp"
#include "trace/site_names.hpp"
#include "trace/trace.hpp"

namespace plait::report {

/// Version of the data that the page reads.
inline constexpr int kTimelineSchemaVersion = 1;

/// Nanoseconds from its begin that an event waited for another rank: (rank, stream, event).
using WaitOfEvent = std::function<std::int64_t(std::uint32_t, std::uint32_t, std::uint32_t)>;

/// Limits of the size of the page.
struct TimelineLimits {
  std::uint64_t events = 2'000'000;     ///< of all ranks; beyond it only windows are kept
  std::uint64_t cells = 1U << 18U;      ///< ranks x bins
  std::uint32_t bins = 4096, few = 64;  ///< most and least bins of a rank
};

/// The data of the page's timeline, in time linear in the number of events.
/// @param wait  null: waiting is not distinguished from communication
nlohmann::json timeline_to_json(const trace::Trace& trace, const trace::PlaceNames& names,
                                const WaitOfEvent& wait, const TimelineLimits& limits = {});

}  // namespace plait::report
