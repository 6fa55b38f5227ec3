// SPDX-License-Identifier: BSD-3-Clause
// The grid in physical space, and the modes that the 2/3 rule keeps.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "lanes.hpp"
#include "plait/transpose_shape.hpp"

namespace plait::boussinesq {

/// Symmetry of a field about lids with free slip; without effect at other boundaries.
enum class Parity { even, odd };

constexpr Parity other(Parity parity) {
  return parity == Parity::even ? Parity::odd : Parity::even;
}

/// Points x_i = i Lx / nx and y_j likewise; z_k = k Lz / (nz - 1) from lid to lid, or k Lz / nz if
/// periodic. Modes: kx = 0 to modes_x() - 1, and ky in the order 0, 1, ..., -2, -1.
struct Grid {
  std::array<int, 3> points{64, 64, 65};
  std::array<double, 3> lengths{2 * std::numbers::pi, 2 * std::numbers::pi, std::numbers::pi};
  bool periodic = false;  ///< along z
  bool no_slip = false;   ///< at lids, u and v vanish, too

  [[nodiscard]] int modes_x() const { return (points[0] - 1) / 3 + 1; }
  [[nodiscard]] int most_y() const { return (points[1] - 1) / 3; }
  [[nodiscard]] int modes_y() const { return 2 * most_y() + 1; }
  [[nodiscard]] int planes() const { return points[2]; }
  [[nodiscard]] double kx(int i) const { return 2 * std::numbers::pi / lengths[0] * i; }
  [[nodiscard]] int wave_number_y(int j) const { return j <= most_y() ? j : j - modes_y(); }
  [[nodiscard]] double ky(int j) const {
    return 2 * std::numbers::pi / lengths[1] * wave_number_y(j);
  }
  [[nodiscard]] double spacing(int axis) const {
    const int cells =
        axis == 2 && !periodic ? points[2] - 1 : points[static_cast<std::size_t>(axis)];
    return lengths[static_cast<std::size_t>(axis)] / cells;
  }
  [[nodiscard]] double z(int plane) const { return spacing(2) * plane; }
  /// Of a plane in the mean over z: the trapezoidal rule, which is exact for mirrored and periodic
  /// fields; else with the ends of Gregory's rule of fourth order.
  [[nodiscard]] double weight(int plane) const {
    if (periodic) return 1.0 / points[2];
    constexpr std::array<double, 3> ends{3.0 / 8, 7.0 / 6, 23.0 / 24};
    const int from_end = std::min(plane, points[2] - 1 - plane);
    if (no_slip && from_end < 3) return ends[static_cast<std::size_t>(from_end)] / (points[2] - 1);
    return (from_end == 0 ? 0.5 : 1.0) / (points[2] - 1);
  }
  /// The name of the boundary condition along z.
  [[nodiscard]] const char* boundary() const {
    return periodic ? "periodic" : no_slip ? "no_slip" : "lids";
  }
  [[nodiscard]] std::int64_t all_points() const {
    return std::int64_t{1} * points[0] * points[1] * points[2];
  }
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// The modes of one process: some of kx and ky, on all planes. Arrays have x contiguous, then y.
struct Block {
  IndexRange x, y;
  int planes = 0;

  [[nodiscard]] std::int64_t row() const { return x.count(); }
  [[nodiscard]] std::int64_t plane() const { return x.count() * y.count(); }
  [[nodiscard]] std::size_t elements() const { return static_cast<std::size_t>(plane() * planes); }
};

}  // namespace plait::boussinesq
