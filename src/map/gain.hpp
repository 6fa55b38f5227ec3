// SPDX-License-Identifier: BSD-3-Clause
// How much faster an exchange gets by a mapping, with the interval that the costs leave.
#pragma once

#include <string>

#include "map/mapping.hpp"

namespace plait::map {

/// Costs with the range in which they lie.
struct CostsRange {
  Costs middle, low, high;
  std::string from;  ///< "default", "given", or the machine's name
  bool measured = false;
};

/// default_costs(), each from half to twice as much.
CostsRange default_costs_range();

/// A value and the extremes that it may take.
struct Interval {
  double value = 0, low = 0, high = 0;
};

struct Gain {
  Interval before_s;  ///< one exchange, now
  Interval after_s;   ///< the same, mapped
  Interval ratio;     ///< before / after, both under the same costs; 1 where nothing is sent
};

/// The middle: `costs.middle`, messages inside a node beside those between nodes. The extremes:
/// over latencies and bandwidths (low or high, each by itself), and over whether messages inside a
/// node and between nodes overlap or add up (Stengel 2010, section 3.3: mostly they do not
/// overlap).
Gain gain_of(const MappingRequest& request, const std::vector<int>& before,
             const std::vector<int>& after, const CostsRange& costs);

}  // namespace plait::map
