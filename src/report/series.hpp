// SPDX-License-Identifier: BSD-3-Clause
// Limits of curves over time in the profile.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace plait::report {

inline constexpr std::size_t kMostSeries = 256;  // ranks that a chart can show
inline constexpr std::size_t kMostPoints = 400;

/// The indices of at most kMostPoints of so many samples at equal distances, and of the last one.
inline std::vector<std::size_t> thinned(std::size_t samples) {
  std::vector<std::size_t> indices;
  const std::size_t apart = std::max<std::size_t>(1, (samples + kMostPoints - 1) / kMostPoints);
  for (std::size_t i = 0; i < samples; ++i) {
    if (i % apart == 0 || i + 1 == samples) indices.push_back(i);
  }
  return indices;
}

}  // namespace plait::report
