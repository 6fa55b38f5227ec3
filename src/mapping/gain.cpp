// SPDX-License-Identifier: BSD-3-Clause
// Predicts the time of an exchange before and after a mapping over the range of its costs.
#include "mapping/gain.hpp"

#include <algorithm>
#include <utility>

namespace plait::mapping {
namespace {

Costs scaled(Costs costs, double factor) {
  for (PathCost& path : costs.path) {
    path = {path.seconds * factor, path.seconds_per_byte * factor};
  }
  costs.card = {costs.card.seconds * factor, costs.card.seconds_per_byte * factor};
  return costs;
}

/// The latencies of one, the bandwidths of the other.
Costs mixed(const Costs& latencies, Costs costs) {
  for (std::size_t level = 0; level < costs.path.size(); ++level) {
    costs.path[level].seconds = latencies.path[level].seconds;
  }
  costs.card.seconds = latencies.card.seconds;
  return costs;
}

double time_of(MappingRequest& request, const std::vector<int>& slot_of, const Costs& costs) {
  request.costs = costs;
  return score_of(request, slot_of).time_s;
}

/// The time if messages between nodes follow those inside nodes.
double time_in_turn(MappingRequest& request, const std::vector<int>& slot_of, const Costs& costs) {
  Costs inside = costs;
  inside.card = {};
  inside.path[kLevels] = {};
  Costs between;
  between.card = costs.card;
  between.path[kLevels] = costs.path[kLevels];
  return time_of(request, slot_of, inside) + time_of(request, slot_of, between);
}

void widen(Interval& range, double value) {
  range.low = std::min(range.low, value);
  range.high = std::max(range.high, value);
}

double ratio(double before, double after) {
  return after > 0 ? before / after : 1;
}

}  // namespace

CostsRange default_costs_range() {
  const Costs costs = default_costs();
  return {costs, scaled(costs, 0.5), scaled(costs, 2), "default", false};
}

Gain gain_of(const MappingRequest& request, const std::vector<int>& before,
             const std::vector<int>& after, const CostsRange& costs) {
  MappingRequest under = request;
  Gain gain;
  const double now = time_of(under, before, costs.middle);
  const double then = time_of(under, after, costs.middle);
  gain.before_s = {now, now, now};
  gain.after_s = {then, then, then};
  const double middle = ratio(now, then);
  gain.ratio = {middle, middle, middle};
  for (const Costs& one : {costs.middle, costs.low, costs.high, mixed(costs.low, costs.high),
                           mixed(costs.high, costs.low)}) {
    for (const auto& time : {time_of, time_in_turn}) {
      const double first = time(under, before, one);
      const double second = time(under, after, one);
      widen(gain.before_s, first);
      widen(gain.after_s, second);
      widen(gain.ratio, ratio(first, second));
    }
  }
  return gain;
}

}  // namespace plait::mapping
