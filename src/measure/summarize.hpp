// SPDX-License-Identifier: BSD-3-Clause
// Converts samples to the statistics of the machine file.
#pragma once

#include <vector>

#include "machine/measured.hpp"

namespace plait::measure {

/// Minimum, median, 95 % interval of the median and the samples themselves.
/// @param samples  in the order of measurement; if empty, the statistic has n = 0
machine::Statistic summarize(const std::vector<double>& samples);

/// The bandwidth in GB/s; 0 if the time is 0.
double bandwidth_gbs(double bytes, double time_us);

}  // namespace plait::measure
