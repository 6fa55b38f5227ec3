// SPDX-License-Identifier: BSD-3-Clause
// The conditions at the six sides of the grid, as given by --boundary.
#pragma once

#include <array>
#include <string>

#include "plait/side.hpp"

namespace plait::jacobi {

/// The condition at one side of the grid.
struct SideCondition {
  enum class Kind {
    solution,  ///< static: the values of the problem's known solution
    value,     ///< static: one value everywhere
    neumann,   ///< no flux through the outer faces of the cells
    periodic,  ///< connected to the other end of the axis
  };
  Kind kind = Kind::solution;
  double value = 0.0;  ///< for Kind::value

  [[nodiscard]] bool fixed() const { return kind == Kind::solution || kind == Kind::value; }
  friend bool operator==(const SideCondition&, const SideCondition&) = default;
};

/// The conditions at all sides: x low, x high, y low, y high, z low, z high.
class Boundary {
public:
  /// Static sides with the values of the known solution.
  Boundary() = default;

  /// Reads "neumann" for all sides, "periodic,neumann,static" for the axes x, y and z, or
  /// "static=1:neumann" for the lower and the upper side of an axis.
  /// @throws Error that lists what is accepted
  static Boundary parse(const std::string& text);
  /// The shortest text that parse() reads as this boundary.
  [[nodiscard]] std::string text() const;

  [[nodiscard]] const SideCondition& low(int axis) const { return sides_[at(axis)]; }
  [[nodiscard]] const SideCondition& high(int axis) const { return sides_[at(axis) + 1]; }
  [[nodiscard]] bool periodic(int axis) const {
    return low(axis).kind == SideCondition::Kind::periodic;
  }
  /// True if all sides are static.
  [[nodiscard]] bool all_fixed() const;
  /// True if some side is static; otherwise a solution is known only up to a constant.
  [[nodiscard]] bool any_fixed() const;
  /// True if some side has its own value, for which no solution is known.
  [[nodiscard]] bool any_value() const;
  /// The sides and axes as the library's options.
  [[nodiscard]] std::array<Side, 6> sides() const;
  [[nodiscard]] std::array<bool, 3> periodic_axes() const;

  friend bool operator==(const Boundary&, const Boundary&) = default;

private:
  static std::size_t at(int axis) { return 2 * static_cast<std::size_t>(axis); }
  std::array<SideCondition, 6> sides_{};
};

}  // namespace plait::jacobi
