// SPDX-License-Identifier: BSD-3-Clause
// The page's timeline: the events of a trace, its messages and a quantitative overview, compact.
//
// The page draws from bins (how each rank spent each of some thousand equal parts of the run) until
// it shows few enough events, then from the events themselves. Events and messages are columns of
// variable-length integers in base64; docs/report.md describes them. Of a trace with too many
// events only windows are kept, and the page says so.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "trace/trace.hpp"

namespace plait::report {

/// Version of the data that the page reads.
inline constexpr int kTimelineSchemaVersion = 1;

/// How sites and regions of a trace are shown: by their index there.
struct PlaceNames {
  std::vector<std::string> sites;    ///< "solve (cg.c:120)"
  std::vector<std::string> regions;  ///< a user region's name, or where an OpenMP region is
};

/// Names the places of a trace by their debug information (report/symbolize.hpp).
/// @param notes  gets a sentence for what could not be named
PlaceNames name_places(const trace::Trace& trace, std::vector<std::string>& notes);

/// Nanoseconds that an event waited for another rank, from its begin: (rank, stream, event).
using WaitOfEvent = std::function<std::int64_t(std::uint32_t, std::uint32_t, std::uint32_t)>;

struct TimelineLimits {
  std::uint64_t events = 2'000'000;     ///< of all ranks; more: only windows of the run
  std::uint64_t cells = 1U << 18U;      ///< ranks x bins
  std::uint32_t bins = 4096, few = 64;  ///< most and least bins of a rank
};

/// The data of the page's timeline. Linear in the events.
/// @param wait  null: waiting is not told apart from communicating
nlohmann::json timeline_to_json(const trace::Trace& trace, const PlaceNames& names,
                                const WaitOfEvent& wait, const TimelineLimits& limits = {});

}  // namespace plait::report
