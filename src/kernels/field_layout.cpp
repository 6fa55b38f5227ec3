// SPDX-License-Identifier: BSD-3-Clause
// Computes the memory layout of a field: aligned rows, and padding against cache-set conflicts.
#include "kernels/field_layout.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace plait::detail {
namespace {

constexpr std::size_t line = 64;
constexpr std::size_t way = 4096;  // bytes of one way of a first-level cache
// Elements are padded to whole cache lines only if that takes at most this many bytes.
constexpr std::size_t largest_unit = 512;
// Smaller fields fit the first-level cache together; moving their start would double their size.
constexpr std::size_t staggered_from = std::size_t{16} << 10U;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// True when two streams that are `bytes` apart stay at least `apart` bytes from sharing a set.
bool far_apart(std::size_t bytes, std::size_t apart) {
  const std::size_t residue = bytes % way;
  return std::min(residue, way - residue) >= apart;
}

/// A prefetched pair of lines; short rows cannot keep that distance and do not need to.
std::size_t distance_for(std::size_t row) {
  return std::min(2 * line, row);
}

}  // namespace

FieldLayout field_layout(const Int3& own, int ghost, std::size_t element_bytes) {
  const auto layers = static_cast<std::size_t>(ghost);
  const auto extent = [&](std::size_t d) { return static_cast<std::size_t>(own[d]); };
  const std::size_t common = std::lcm(line, element_bytes);
  const bool padded = common <= largest_unit;
  const std::size_t unit = padded ? common : element_bytes;

  FieldLayout layout;
  // The largest power of two in the element's size is at least its alignment.
  layout.align = std::clamp(element_bytes & (~element_bytes + 1), line, way);
  layout.lead = round_up(layers * element_bytes, layout.align);
  // The first ghosts of the next row follow the last ghost of a row and its padding.
  layout.row = round_up((extent(0) + 2 * layers) * element_bytes, unit);
  const std::size_t apart = distance_for(layout.row);
  // A sweep reads rows j - 1, j, j + 1 of plane k and row j of planes k - 1 and k + 1 together.
  while (padded && !(far_apart(layout.row, apart) && far_apart(2 * layout.row, apart))) {
    layout.row += unit;
  }
  const std::size_t rows = extent(1) + 2 * layers;
  layout.plane = layout.row * rows;
  while (padded && rows > 1 &&
         !(far_apart(layout.plane, apart) && far_apart(2 * layout.plane, apart) &&
           far_apart(layout.plane - layout.row, apart) &&
           far_apart(layout.plane + layout.row, apart))) {
    layout.plane += unit;
  }
  layout.origin = layout.lead + layers * (layout.row + layout.plane);
  layout.size = layout.lead + layout.plane * (extent(2) + 2 * layers);
  return layout;
}

std::size_t field_stagger(const FieldLayout& layout, unsigned number) {
  constexpr unsigned starts = 4;
  if (layout.size < staggered_from || layout.align > line || number % starts == 0) return 0;
  const std::size_t row = layout.row % way;
  const std::size_t plane = layout.plane % way;
  const std::array<std::size_t, 5> streams{0, row, way - row, plane, way - plane};
  const std::size_t first = number % starts * (way / starts) + line;
  for (std::size_t start = first; start < first + way; start += line) {
    if (std::all_of(streams.begin(), streams.end(), [&](std::size_t stream) {
          return far_apart(start + stream, distance_for(layout.row));
        })) {
      return start % way;
    }
  }
  return 0;
}

}  // namespace plait::detail
