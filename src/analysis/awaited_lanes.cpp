// SPDX-License-Identifier: BSD-3-Clause
// Finds how awaited lanes spent their time.
#include "analysis/awaited_lanes.hpp"

#include <algorithm>

namespace plait::analysis {

Spent spent_by(const Lanes& lanes, const Waits& waits, std::uint32_t lane, std::uint32_t call,
               std::uint32_t near, std::int64_t since) {
  const Lane& at = lanes.all[lane];
  const std::int64_t until = at.calls[call].begin;
  const std::int64_t from = std::min(since, until);
  const std::uint32_t begun = at.calls_begun(from, call);
  const std::uint32_t waits_before = waits.ended(lane, until, near);
  const std::int64_t before = begun == 0 ? 0 : at.stalled_before(begun - 1);
  Spent spent;
  spent.computed = at.computed_before(call) - at.computed_until(from, begun);
  spent.waited = waits.sums[lane][waits_before] - waits.until(lane, from, waits_before);
  spent.absent =
      std::clamp<std::int64_t>(at.begin - since, 0, std::max<std::int64_t>(0, until - since));
  spent.called =
      std::max<std::int64_t>(0, until - since - spent.computed - spent.waited - spent.absent);
  spent.stalled = std::clamp<std::int64_t>(at.stalled_before(call) - before, 0, spent.called);
  spent.called -= spent.stalled;
  return spent;
}

bool add_places(const trace::Trace& trace, const Lane& lane, std::uint32_t call, std::int64_t since,
                int sign, std::vector<PlaceTime>& places) {
  // With more segments, lanes are compared as a whole, and the last segments determine the delaying
  // place. This keeps the analysis linear in the events.
  constexpr std::uint32_t kSegments = 64;
  std::uint32_t seen = 0;
  for (SegmentsBefore at(trace, lane, call); at.more() && at.end() > since; at.step()) {
    if (!at.on_cpu()) continue;
    if (++seen > kSegments) return false;
    const std::uint32_t region = at.region(), site = at.site();
    const std::int64_t ns = sign * (at.end() - std::max(since, at.begin()));
    const auto found = std::ranges::find_if(places, [&](const PlaceTime& place) {
      return place.region == region && place.site == site;
    });
    if (found != places.end()) {
      found->ns += ns;
    } else if (sign > 0) {
      places.push_back({region, site, ns});
    }
  }
  return true;
}

bool has_no_excess(const Spent& awaited, const Spent& waiting) {
  return awaited.computed <= waiting.computed && awaited.waited <= waiting.waited &&
         awaited.called <= waiting.called && awaited.absent <= waiting.absent &&
         awaited.stalled <= waiting.stalled;
}

void look_at(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
             const AwaitedPart& of, AwaitedLane& into) {
  const Lane& lane = lanes.all[of.lane];
  const std::uint32_t guess = waits.near(of.lane, of.call, lanes);
  into.spent = spent_by(lanes, waits, of.lane, of.call, guess, of.since);
  into.first_wait = into.last_wait = 0;
  into.places.clear();
  if (into.spent.waited > of.waiting.waited) {
    into.last_wait = waits.ended(of.lane, lane.calls[of.call].begin, guess);
    into.first_wait = waits.ended(of.lane, of.since, into.last_wait);
  }
  if (into.spent.computed <= of.waiting.computed &&
      !(into.spent.computed > 0 && has_no_excess(into.spent, of.waiting))) {
    return;
  }
  into.computed_in_window =
      lane.computed_until(of.window_end, of.call) - lane.computed_until(of.window_begin, of.call);
  into.site = site_of(trace, lane, of.call);
  into.has_all_places = add_places(trace, lane, of.call, of.since, 1, into.places);
}

}  // namespace plait::analysis
