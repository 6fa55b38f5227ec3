// SPDX-License-Identifier: BSD-3-Clause
// The median of some numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace plait {

/// The middle of some numbers, and the mean of both middle ones of an even count; 0 of none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace plait
