// SPDX-License-Identifier: BSD-3-Clause
// Tables of what was measured, and the ratios that are taken from it.
#pragma once

#include <string>
#include <vector>

#include "launch.hpp"

namespace plait::bench {

/// Median seconds a step; 0 when the contender did not run.
double median_s(const Measured& measured, const std::string& contender);

/// Median over the rounds of `slower` / `faster`, which ran side by side in each round, and the
/// lower end of its 95 % interval; 0 when either did not run.
struct Ratio {
  double median = 0, low = 0;
};
Ratio ratio(const Measured& measured, const std::string& slower, const std::string& faster);

/// The contender among `names` with the smallest median.
std::string fastest(const Measured& measured, const std::vector<std::string>& names);

/// The schedules, without automatic.
const std::vector<std::string>& plain_schedules();

/// A row a contender: median, its 95 % interval, the model's prediction and interval, and the part
/// of the hand-written step's time.
void print_table(const std::string& title, const Measured& measured,
                 const std::vector<std::string>& rows);

}  // namespace plait::bench
