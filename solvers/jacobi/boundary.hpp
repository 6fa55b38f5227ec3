// SPDX-License-Identifier: BSD-3-Clause
// What holds at the six sides of the grid, as --boundary says it.
#pragma once

#include <array>
#include <string>

#include "plait/side.hpp"

namespace plait::jacobi {

/// A side of the grid.
struct SideCondition {
  enum class Kind {
    solution,  ///< static: the values of the problem's known solution
    value,     ///< static: one value everywhere
    neumann,   ///< no flux through the outer faces of the cells there
    periodic,  ///< the other end of the axis follows
  };
  Kind kind = Kind::solution;
  double value = 0.0;  ///< of Kind::value

  [[nodiscard]] bool fixed() const { return kind == Kind::solution || kind == Kind::value; }
  friend bool operator==(const SideCondition&, const SideCondition&) = default;
};

/// All six: x low, x high, y low, y high, z low, z high.
class Boundary {
public:
  /// Static sides with the values of the solution.
  Boundary() = default;

  /// Reads "neumann" for all sides, "periodic,neumann,static" for the axes x, y, z, and
  /// "static=1:neumann" for the lower and the upper side of one.
  /// @throws Error that says what is accepted
  static Boundary parse(const std::string& text);
  /// In the form that parse() reads, as short as it goes.
  [[nodiscard]] std::string text() const;

  [[nodiscard]] const SideCondition& low(int axis) const { return sides_[at(axis)]; }
  [[nodiscard]] const SideCondition& high(int axis) const { return sides_[at(axis) + 1]; }
  [[nodiscard]] bool periodic(int axis) const {
    return low(axis).kind == SideCondition::Kind::periodic;
  }
  /// Static at both ends of all axes.
  [[nodiscard]] bool all_fixed() const;
  /// Whether some side is static: else a solution is known up to a constant only.
  [[nodiscard]] bool any_fixed() const;
  /// Whether a side has a value of its own, which the known solutions lack.
  [[nodiscard]] bool any_value() const;
  /// For the library.
  [[nodiscard]] std::array<Side, 6> sides() const;
  [[nodiscard]] std::array<bool, 3> periodic_axes() const;

  friend bool operator==(const Boundary&, const Boundary&) = default;

private:
  static std::size_t at(int axis) { return 2 * static_cast<std::size_t>(axis); }
  std::array<SideCondition, 6> sides_{};
};

}  // namespace plait::jacobi
