// SPDX-License-Identifier: BSD-3-Clause
// One value beside another: ratios, and changes in percent, in points and in seconds.
#include "text/ratio.hpp"

#include <fmt/format.h>

#include <cmath>

#include "text/units.hpp"

namespace plait {

std::string format_ratio(double ratio) {
  const bool plain = ratio >= 0.0995 && ratio < 9.995;
  return plain ? fmt::format("{:.2f}", ratio) : format_number(ratio);
}

std::string format_change(double from, double to) {
  const double percent = (to / from - 1) * 100;
  return percent < 900 ? fmt::format("{:+.1f} %", percent) : format_ratio(to / from) + " times";
}

std::string format_points(double difference) {
  return fmt::format("{:+.1f} points", difference * 100);
}

std::string format_change_of_seconds(double difference) {
  if (std::abs(difference) < 1e-9) return "same";
  return (difference < 0 ? "-" : "+") + format_seconds(std::abs(difference));
}

}  // namespace plait
