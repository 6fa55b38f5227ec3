// SPDX-License-Identifier: BSD-3-Clause
// Classes of message sizes, by the sizes at which an MPI switches protocols.
#include "analysis/size_classes.hpp"

#include <algorithm>

namespace plait::analysis {
namespace {

/// Below this size the times of a ping-pong are too noisy.
constexpr std::uint64_t kSmallest = 256;

constexpr double kSteeper = 2;
constexpr double kJump = 0.2;

double microseconds(const machine::CurvePoint& point) {
  return point.half_round_trip_us.median;
}

/// us per byte between a point and the one before it.
double slope(const std::vector<machine::CurvePoint>& curve, std::size_t i) {
  const double bytes =
      static_cast<double>(curve[i].bytes) - static_cast<double>(curve[i - 1].bytes);
  return std::max(0.0, microseconds(curve[i]) - microseconds(curve[i - 1])) / bytes;
}

}  // namespace

std::size_t SizeClasses::of(std::uint64_t bytes) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(limits, bytes) - limits.begin());
}

std::uint64_t SizeClasses::from(std::size_t number) const {
  return number == 0 ? 0 : limits[number - 1];
}

std::uint64_t SizeClasses::to(std::size_t number) const {
  return number < limits.size() ? limits[number] : ~std::uint64_t{0};
}

std::vector<std::uint64_t> protocol_switches(const std::vector<machine::CurvePoint>& curve) {
  std::vector<std::uint64_t> switches;
  const auto ascends = [](const auto& a, const auto& b) { return a.bytes >= b.bytes; };
  if (std::ranges::adjacent_find(curve, ascends) != curve.end()) return switches;
  for (std::size_t i = 2; i + 1 < curve.size(); ++i) {
    if (curve[i].bytes < kSmallest) continue;
    const double around = std::max(slope(curve, i - 1), slope(curve, i + 1));
    const double bytes =
        static_cast<double>(curve[i].bytes) - static_cast<double>(curve[i - 1].bytes);
    const double jump = microseconds(curve[i]) - microseconds(curve[i - 1]) - around * bytes;
    if (slope(curve, i) > kSteeper * around && jump > kJump * microseconds(curve[i - 1])) {
      switches.push_back(curve[i].bytes);
    }
  }
  return switches;
}

SizeClasses itac_classes() {
  return {{513, 32768}, "ITAC's classes"};
}

SizeClasses size_classes(const machine::Measured* measured) {
  SizeClasses classes;
  if (measured != nullptr) {
    for (const machine::Path& path : measured->paths) {
      for (const std::uint64_t bytes :
           protocol_switches(machine::usable_points(path.mpi_pingpong))) {
        classes.limits.push_back(bytes);
      }
    }
  }
  std::ranges::sort(classes.limits);
  std::vector<std::uint64_t> apart;
  for (const std::uint64_t limit : classes.limits) {
    if (apart.empty() || limit > 2 * apart.back()) apart.push_back(limit);
  }
  classes.limits = std::move(apart);
  classes.source = "measured protocol switches";
  return classes.limits.empty() ? itac_classes() : classes;
}

}  // namespace plait::analysis
