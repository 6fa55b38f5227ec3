// SPDX-License-Identifier: BSD-3-Clause
// Costs of a message on a path.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "replay/network.hpp"

namespace plait::replay {

/// Interpolates linearly between points. Uses the first value below the first point, and the rate
/// of the last two points beyond the last. 0 without points.
inline double interpolate(const std::vector<std::pair<std::uint64_t, double>>& points,
                          std::uint64_t bytes) {
  if (points.empty()) return 0;
  if (points.size() == 1 || bytes <= points.front().first) return points.front().second;
  auto above = std::upper_bound(points.begin(), points.end(), bytes,
                                [](std::uint64_t n, const auto& point) { return n < point.first; });
  if (above == points.end()) --above;
  const auto& high = *above;
  const auto& low = *(above - 1);
  const double share = (static_cast<double>(bytes) - static_cast<double>(low.first)) /
                       (static_cast<double>(high.first) - static_cast<double>(low.first));
  return std::max(0.0, low.second + share * (high.second - low.second));
}

/// o + n O: how long the sender (or the receiver) is busy, s.
inline double overhead(const Path& path, std::uint64_t bytes) {
  return path.overhead_s + static_cast<double>(bytes) * path.overhead_per_byte_s;
}

/// The measured time minus both sides' overheads, which it contains, s.
inline double measured_way(const Path& path, std::uint64_t bytes) {
  return std::max(0.0, interpolate(path.measured, bytes) - 2 * overhead(path, bytes));
}

/// n G: how long the card is busy, at most the measured time, s.
inline double occupancy(const Path& path, std::uint64_t bytes) {
  const double whole = static_cast<double>(bytes) * path.seconds_per_byte;
  return path.measured.empty() ? whole : std::min(whole, measured_way(path, bytes));
}

/// L: the rest of the message's time, s.
inline double latency(const Path& path, std::uint64_t bytes) {
  if (path.measured.empty()) return path.latency_s;
  return measured_way(path, bytes) - occupancy(path, bytes);
}

/// True if concurrent messages on the path delay each other.
inline bool contended(const Path& path) {
  return path.gap_s > 0 || path.seconds_per_byte > 0;
}

}  // namespace plait::replay
