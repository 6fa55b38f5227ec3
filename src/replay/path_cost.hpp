// SPDX-License-Identifier: BSD-3-Clause
// What a message of some size costs on a path.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "replay/network.hpp"

namespace plait::replay {

/// Linear between the points; before the first its value, beyond the last in proportion to bytes
/// beyond it, at the rate of the last two points.
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

/// o + n O: what the sender, or the receiver, is busy for.
inline double overhead(const Path& path, std::uint64_t bytes) {
  return path.overhead_s + static_cast<double>(bytes) * path.overhead_per_byte_s;
}

/// A measured time without both sides' overheads, which it holds.
inline double measured_way(const Path& path, std::uint64_t bytes) {
  return std::max(0.0, interpolate(path.measured, bytes) - 2 * overhead(path, bytes));
}

/// n G: what the card is busy for. A measured time that is shorter counts.
inline double occupancy(const Path& path, std::uint64_t bytes) {
  const double whole = static_cast<double>(bytes) * path.seconds_per_byte;
  return path.measured.empty() ? whole : std::min(whole, measured_way(path, bytes));
}

/// L: what the message takes beside that.
inline double latency(const Path& path, std::uint64_t bytes) {
  if (path.measured.empty()) return path.latency_s;
  return measured_way(path, bytes) - occupancy(path, bytes);
}

/// Do messages on the path hinder each other?
inline bool contended(const Path& path) {
  return path.gap_s > 0 || path.seconds_per_byte > 0;
}

}  // namespace plait::replay
