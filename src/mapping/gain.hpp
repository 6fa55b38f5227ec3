// SPDX-License-Identifier: BSD-3-Clause
// The speedup of an exchange by a mapping, with the interval that follows from the costs.
#pragma once

#include <string>
#include <vector>

#include "mapping/mapping.hpp"

namespace plait::mapping {

/// Costs with their range.
struct CostsRange {
  Costs middle, low, high;
  std::string from;  ///< "default", "given", or the name of the machine
  bool measured = false;
  std::vector<std::string> notes = {};  ///< what speaks against the measurements, as sentences
};

/// default_costs(), each from half to twice as much.
CostsRange default_costs_range();

/// A value and its extremes.
struct Interval {
  double value = 0, low = 0, high = 0;
};

struct Gain {
  Interval before_s;  ///< one exchange, now
  Interval after_s;   ///< the same, mapped
  Interval ratio;     ///< before / after, both with the same costs; 1 if nothing is sent
};

/// The value: `costs.middle`, with messages inside nodes overlapping those between nodes. The
/// extremes: latencies and bandwidths low or high, each independently, and messages inside and
/// between nodes either overlapping or adding up (Stengel 2010, section 3.3: mostly they do not
/// overlap).
Gain gain_of(const MappingRequest& request, const std::vector<int>& before,
             const std::vector<int>& after, const CostsRange& costs);

}  // namespace plait::mapping
