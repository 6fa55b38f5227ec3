// SPDX-License-Identifier: BSD-3-Clause
// Converts samples to the statistics of the machine file.
#pragma once

#include <vector>

#include "machine/measured.hpp"

namespace plait::measure {

/// Minimum, median, 95 % interval of the median and the samples themselves.
/// @param samples    in the order of measurement; if empty, the statistic has n = 0
/// @param disturbed  how many of them are disturbed (rounds.hpp)
machine::Statistic summarize(const std::vector<double>& samples, int disturbed = 0);

using machine::bandwidth_gbs;

}  // namespace plait::measure
