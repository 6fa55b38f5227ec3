// SPDX-License-Identifier: BSD-3-Clause
// Makes a velocity field free of divergence: Poisson's equation for each pair (kx, ky).
#pragma once

#include <vector>

#include "compact.hpp"
#include "fft.hpp"
#include "grid.hpp"

namespace plait::boussinesq {

/// How Poisson's equation is solved along z. Both use the operator D D with the compact derivative
/// D of the divergence, so that the divergence vanishes to rounding.
enum class PoissonMethod {
  cosine,  ///< D is diagonal in the cosine (lids) or Fourier (periodic) basis
  banded,  ///< p and q = D p as unknowns of one banded system; lids only
};

class Projection {
public:
  Projection(const Grid& grid, const Compact& compact, PoissonMethod method);

  /// Subtracts a gradient from the columns u, v, w. Needs scratch of scratch() elements.
  /// @param kx, ky  wave numbers of each lane; where both are 0, w becomes 0
  void project(const Lanes& kx, double ky, Pair* u, Pair* v, Pair* w, Pair* scratch) const;
  /// i kx u + i ky v + D w.
  void divergence(const Lanes& kx, double ky, const Pair* u, const Pair* v, const Pair* w,
                  Pair* out) const;
  /// Solves (D D - k2) p = f in place; p = 0 where k2 is 0. Needs scratch like project().
  void solve(const Lanes& k2, Pair* f, Pair* scratch) const;

  [[nodiscard]] std::size_t scratch() const { return static_cast<std::size_t>(fft_.length()) * 3; }

private:
  void solve_diagonal(const Lanes& k2, Pair* f, Pair* scratch) const;
  void solve_banded(double k2, int lane, Pair* f) const;

  int planes_;
  bool periodic_;
  double spacing_;
  const Compact& compact_;
  PoissonMethod method_;
  Fft fft_;                             ///< of the column and its mirror image
  std::vector<double> square_numbers_;  ///< of the modified wave numbers of D
};

}  // namespace plait::boussinesq
