// SPDX-License-Identifier: BSD-3-Clause
// Makes a velocity field free of divergence: Poisson's equation for each pair (kx, ky).
#pragma once

#include <initializer_list>
#include <vector>

#include "compact.hpp"
#include "fft.hpp"
#include "grid.hpp"

namespace plait::boussinesq {

/// How Poisson's equation is solved along z. Both use the operator D D with the compact derivative
/// D of the divergence, so that the divergence vanishes to rounding.
enum class PoissonMethod {
  cosine,  ///< D is diagonal in the cosine (lids) or Fourier (periodic) basis
  banded,  ///< p and q = D p as unknowns of one banded system; only with lids
};

class Projection {
public:
  Projection(const Grid& grid, const Compact& compact, PoissonMethod method);

  /// Subtracts a gradient from the columns u, v, w. Without slip, they become 0 at lids, and their
  /// divergence vanishes there, too. Needs scratch of scratch() elements.
  /// @param kx, ky  wave numbers of each lane; where both are 0, w becomes 0
  void project(const Lanes& kx, double ky, Pair* u, Pair* v, Pair* w, Pair* scratch) const;
  /// i kx u + i ky v + D w.
  void divergence(const Lanes& kx, double ky, const Pair* u, const Pair* v, const Pair* w,
                  Pair* out) const;
  /// Solves (D D - k2) p = f; p = 0 where k2 is 0. Without slip, D p and k2 p are left out at lids.
  /// @param scratch  scratch() elements, of which the first hold f
  /// @return p, somewhere in `scratch`
  Pair* solve(const Lanes& k2, Pair* scratch) const;

  [[nodiscard]] std::size_t scratch() const;

private:
  Pair* solve_diagonal(const Lanes& k2, Pair* scratch) const;
  void solve_banded(const Lanes& k2, Pair* f, Pair* scratch) const;
  void clear_lids(std::initializer_list<Pair*> columns) const;

  int planes_;
  bool open_;
  const Compact& compact_;
  PoissonMethod method_;
  Fft fft_;                             ///< of the column and its mirror image
  std::vector<double> square_numbers_;  ///< of the modified wave numbers of D
};

}  // namespace plait::boussinesq
