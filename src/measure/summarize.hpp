// SPDX-License-Identifier: BSD-3-Clause
// Turns samples into what the machine file holds.
#pragma once

#include <vector>

#include "machine/measured.hpp"

namespace plait::measure {

/// Minimum, median, 95 % interval of the median and the samples themselves.
/// @param samples  in the order of measurement; none gives a statistic with n = 0
machine::Statistic summarize(const std::vector<double>& samples);

/// Bytes in microseconds as GB/s; 0 when the time is 0.
double bandwidth_gbs(double bytes, double time_us);

}  // namespace plait::measure
