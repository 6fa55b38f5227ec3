// SPDX-License-Identifier: BSD-3-Clause
// Compact differences and filters of sixth order along z (S. K. Lele, Journal of Computational
// Physics 103, 1992, 16-42), for eight columns at a time.
#pragma once

#include <array>
#include <vector>

#include "grid.hpp"
#include "lanes.hpp"

namespace plait::boussinesq {

/// A tridiagonal system with ones on the diagonal and one value beside it, closed as the unknowns
/// are mirrored at lids, or periodic.
class Tridiagonal {
public:
  enum class Closure { even, odd, periodic };
  Tridiagonal(int rows, double beside, Closure closure);
  /// Solves in place. Odd unknowns are 0 in the first and last row.
  void solve(Pair* column) const;

private:
  Closure closure_;
  double beside_;
  std::vector<double> lower_, upper_, pivot_;  ///< `upper_` and `pivot_` after elimination
  std::vector<double> correction_;             ///< periodic: Sherman-Morrison
};

/// Derivatives and filter of columns of `planes` elements. Input and output must not overlap.
class Compact {
public:
  explicit Compact(const Grid& grid);

  /// The derivative of a column of the given parity; it has the other parity.
  void first(Parity parity, const Pair* in, Pair* out) const;
  void second(Parity parity, const Pair* in, Pair* out) const;
  /// Removes the shortest wave wholly and others the less, the closer `strength` is to 0.5.
  void filter(Parity parity, const Pair* in, Pair* out) const;
  /// Sets the strength of filter(), 0 to below 0.5.
  void set_filter(double strength);

  /// The factor by which first() multiplies cos(2 pi m z / L) or the like, without its sign: Lele's
  /// modified wave number. `m` counts waves per period, half waves between lids.
  [[nodiscard]] double first_wave_number(int m) const;
  /// Largest factors of first() and second().
  [[nodiscard]] double largest_first() const { return 1.989 / spacing_; }
  [[nodiscard]] double largest_second() const { return 48.0 / 7 / (spacing_ * spacing_); }

private:
  /// Weights of f(i), f(i+-1), f(i+-2), f(i+-3) on the right-hand side; antisymmetric: f(i+j) -
  /// f(i-j).
  struct Stencil {
    std::array<double, 4> weights{};
    bool antisymmetric = false;
  };
  struct Systems {
    Tridiagonal even, odd;
  };
  [[nodiscard]] Systems systems(double beside) const;
  void apply(const Stencil& stencil, Parity parity, const Pair* in, Pair* out) const;
  void solve(const Systems& systems, Parity parity, Pair* column) const {
    (parity == Parity::even ? systems.even : systems.odd).solve(column);
  }

  int planes_;
  bool periodic_;
  double spacing_;
  Stencil first_, second_, filter_;
  Systems first_systems_, second_systems_, filter_systems_;
};

}  // namespace plait::boussinesq
