// SPDX-License-Identifier: BSD-3-Clause
// Tables of the measured times, and ratios of them.
#pragma once

#include <string>
#include <vector>

#include "launch.hpp"

namespace plait::bench {

/// Median seconds per step; 0 if the contender did not run.
double median_s(const Measured& measured, const std::string& contender);

/// Median over the rounds of `slower` / `faster`, and the lower end of its 95 % interval; 0 if
/// either did not run.
struct Ratio {
  double median = 0, low = 0;
};
Ratio ratio(const Measured& measured, const std::string& slower, const std::string& faster);

/// The contender among `names` with the smallest median.
std::string fastest(const Measured& measured, const std::vector<std::string>& names);

/// The schedules, without automatic.
const std::vector<std::string>& plain_schedules();

/// Prints one row per contender: median and 95 % interval, prediction and its interval, and the
/// time relative to the hand-written step.
void print_table(const std::string& title, const Measured& measured,
                 const std::vector<std::string>& rows);

}  // namespace plait::bench
