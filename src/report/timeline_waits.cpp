// SPDX-License-Identifier: BSD-3-Clause
// What each event waited, from the wait states of the analysis.
#include "report/timeline_waits.hpp"

#include <algorithm>

namespace plait::report {

WaitOfEvent wait_of_events(const trace::Trace& trace, const analysis::Lanes& lanes,
                           const analysis::Waits& waits) {
  return [&](std::uint32_t rank, std::uint32_t stream, std::uint32_t event) -> std::int64_t {
    const analysis::Lanes::Place place = lanes.place_of(rank, stream, event);
    if (place.lane == trace::kNone || place.call == trace::kNone) return 0;
    const std::vector<analysis::Wait>& of_lane = waits.of[place.lane];
    const auto wait = std::lower_bound(
        of_lane.begin(), of_lane.end(), place.call,
        [](const analysis::Wait& one, std::uint32_t call) { return one.call < call; });
    if (wait == of_lane.end() || wait->call != place.call) return 0;
    const trace::Event& shown = trace.ranks[rank].streams[stream].events[event];
    return std::max<std::int64_t>(
        0, std::min(wait->end, shown.end) - std::max(wait->begin, shown.begin));
  };
}

}  // namespace plait::report
