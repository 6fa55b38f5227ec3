// SPDX-License-Identifier: BSD-3-Clause
// Compact differences and filters of sixth order along z (S. K. Lele, Journal of Computational
// Physics 103, 1992, 16-42), for eight columns at a time. Beside lids without slip, fields are not
// mirrored: stencils are one-sided of third order on the first plane, and centred of fourth order
// on the second.
#pragma once

#include <array>
#include <vector>

#include "grid.hpp"
#include "lanes.hpp"

namespace plait::boussinesq {

/// A tridiagonal system with ones on the diagonal and one value beside it, closed as the unknowns
/// are mirrored at lids, or periodic; or open, with other values in the two rows at each end.
class Tridiagonal {
public:
  enum class Closure { even, odd, periodic, open };
  using Ends = std::array<double, 2>;
  /// @param ends  if open: what is beside the diagonal in the first and the second row
  Tridiagonal(int rows, double beside, Closure closure, const Ends& ends);
  /// Odd unknowns are 0 in the first and last row.
  /// @param weights, backward  of the right-hand side, a stencil of `in`, in all but the first and
  ///                           the last three rows
  /// @param out                the right-hand side in these; then the solution
  void solve(const double* weights, double backward, const Pair* in, Pair* out) const;

private:
  Closure closure_;
  double beside_;
  std::vector<double> lower_, upper_, pivot_;  ///< after elimination, all times the pivot
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
  /// The equation of plane i for the derivative f': the sum of left[j] f'(i + j - 2) equals that of
  /// right[j] f(i + j - 2).
  struct Equation {
    std::array<double, 5> left{}, right{};
  };
  [[nodiscard]] Equation first_equation(int plane) const;
  /// Largest factors of first() and second().
  [[nodiscard]] double largest_first() const { return 1.989 / spacing_; }
  [[nodiscard]] double largest_second() const { return 48.0 / 7 / (spacing_ * spacing_); }

private:
  /// Weights of f(i), f(i+-1), f(i+-2), f(i+-3) on the right-hand side; antisymmetric: f(i+j) -
  /// f(i-j).
  struct Stencil {
    std::array<double, 4> weights{};
    bool antisymmetric = false;
    /// Without mirroring: weights of the first planes, in each of the first three.
    std::array<std::array<double, 5>, 3> ends{};
  };
  struct Systems {
    Tridiagonal even, odd;
  };
  static Stencil first_stencil(double scale);
  static Stencil second_stencil(double scale);
  [[nodiscard]] Systems systems(double beside, const Tridiagonal::Ends& ends) const;
  /// A differentiated or filtered column of parity `to`, from one of parity `from`.
  void solve(const Stencil& stencil, const Systems& systems, Parity from, Parity to, const Pair* in,
             Pair* out) const;
  void apply_open_ends(const Stencil& stencil, const Pair* in, Pair* out) const;

  int planes_;
  bool periodic_, open_;
  double spacing_;
  Stencil first_, second_, filter_;
  Systems first_systems_, second_systems_, filter_systems_;
};

}  // namespace plait::boussinesq
