// SPDX-License-Identifier: BSD-3-Clause
// Boxes of grid cells, as used by updates, halos and schedules.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace plait {

/// Three numbers along x (contiguous in memory), y and z.
using Int3 = std::array<int, 3>;

/// The cells (i, j, k) with first[d] <= (i, j, k)[d] < last[d]. Local index 0 is a rank's first own
/// cell. Ghosts have negative indices, or indices equal to or above the number of own cells.
struct Box {
  Int3 first{};
  Int3 last{};

  [[nodiscard]] constexpr int extent(int axis) const {
    const auto d = static_cast<std::size_t>(axis);
    return std::max(0, last[d] - first[d]);
  }
  [[nodiscard]] constexpr std::int64_t cells() const {
    return std::int64_t{extent(0)} * extent(1) * extent(2);
  }
  [[nodiscard]] constexpr bool empty() const { return cells() == 0; }
  [[nodiscard]] constexpr bool contains(const Int3& cell) const {
    for (std::size_t d = 0; d < 3; ++d) {
      if (cell[d] < first[d] || cell[d] >= last[d]) return false;
    }
    return true;
  }
  friend constexpr bool operator==(const Box&, const Box&) = default;
};

/// The cells that are in both boxes; an empty box if there are none.
constexpr Box intersection(const Box& a, const Box& b) {
  Box both;
  for (std::size_t d = 0; d < 3; ++d) {
    both.first[d] = std::max(a.first[d], b.first[d]);
    both.last[d] = std::max(both.first[d], std::min(a.last[d], b.last[d]));
  }
  return both;
}

/// The box with `width` more cells on each of its six sides; a negative width shrinks it.
constexpr Box grown(const Box& box, int width) {
  Box result = box;
  for (std::size_t d = 0; d < 3; ++d) {
    result.first[d] -= width;
    result.last[d] = std::max(result.first[d], result.last[d] + width);
  }
  return result;
}

/// The box moved by `offset` cells.
constexpr Box shifted(const Box& box, const Int3& offset) {
  Box result = box;
  for (std::size_t d = 0; d < 3; ++d) {
    result.first[d] += offset[d];
    result.last[d] += offset[d];
  }
  return result;
}

}  // namespace plait
