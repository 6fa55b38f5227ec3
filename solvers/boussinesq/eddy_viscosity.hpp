// SPDX-License-Identifier: BSD-3-Clause
// The subgrid models: eddy viscosity, over the square of the filter width, from the gradient of the
// velocity at eight points at a time.
#pragma once

#include "lanes.hpp"

namespace plait::boussinesq {

/// du/dx, du/dy, du/dz, dv/dx and so on.
using Gradient = Lanes[3][3];

PLAIT_LANES_INLINE Lanes smagorinsky_viscosity(const Gradient& g) {
  constexpr double constant = 0.17;
  Lanes square{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const Lanes s = 0.5 * (g[i][j] + g[j][i]);
      square += 2 * s * s;
    }
  }
  return constant * constant * square_root(square);
}

/// cos(angle) and cos(angle - 2 pi / 3) for an angle between 0 and pi / 3, from cos(3 angle) = c:
/// the two larger roots x of 4 x^3 - 3 x = c, without trigonometric functions. Newton's iterations
/// find 1 - |x| of the root that is farthest from the others; these follow from a quadratic.
struct Cosines {
  Lanes first, second;
};
PLAIT_LANES_INLINE Cosines cosines_of_third(const Lanes& c) {
  const Lanes one = all_lanes(1), rest = one - smaller(magnitude(c), one);
  const Lanes start = (1.0 / 9) * rest;
  Lanes y = start + (4.0 / 3) * start * start;  // 4 y^3 - 12 y^2 + 9 y = rest
  for (int times = 0; times < 3; ++times) {
    const Lanes excess = y * (4 * y * y - 12 * y + 9) - rest;
    y = y - excess / (12 * y * y - 24 * y + 9);
  }
  const Lanes largest = one - y, apart = square_root(3 * y * (2 - y));
  return {where_positive(c, largest, 0.5 * (largest + apart)),
          where_positive(c, 0.5 * (apart - largest), 0.5 * (largest - apart))};
}

/// F. Nicoud and others, Physics of Fluids 23, 2011, 085106: from the singular values of the
/// gradient, which the paper's appendix computes by the angle of Cardano's formula.
PLAIT_LANES_INLINE Lanes sigma_viscosity(const Gradient& g) {
  constexpr double constant = 1.35;
  Lanes m[3][3];  // g^T g; the singular values are the square roots of its eigenvalues
  for (int i = 0; i < 3; ++i) {
    for (int j = i; j < 3; ++j) m[i][j] = g[0][i] * g[0][j] + g[1][i] * g[1][j] + g[2][i] * g[2][j];
  }
  // The deviator keeps small differences of eigenvalues, which the paper's invariants lose.
  const Lanes mean = (1.0 / 3) * (m[0][0] + m[1][1] + m[2][2]);
  const Lanes a = m[0][0] - mean, b = m[1][1] - mean, c = m[2][2] - mean;
  const Lanes xy = m[0][1], xz = m[0][2], yz = m[1][2];
  const Lanes square = (1.0 / 6) * (a * a + b * b + c * c + 2 * (xy * xy + xz * xz + yz * yz));
  const Lanes spread = square_root(square);
  const Lanes half_determinant =
      0.5 * (a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz));
  const Cosines cosines = cosines_of_third(half_determinant / (square * spread));
  const Lanes zero{};
  const Lanes s1 = square_root(larger(mean + 2 * spread * cosines.first, zero));
  const Lanes s2 = square_root(larger(mean + 2 * spread * cosines.second, zero));
  // The product of all three is the determinant; the smallest value by itself is rounding.
  const Lanes determinant = g[0][0] * (g[1][1] * g[2][2] - g[1][2] * g[2][1]) -
                            g[0][1] * (g[1][0] * g[2][2] - g[1][2] * g[2][0]) +
                            g[0][2] * (g[1][0] * g[2][1] - g[1][1] * g[2][0]);
  const Lanes product = s1 * s2;
  const Lanes s3 = smaller(magnitude(determinant) / product, s2);
  return where_positive(product, constant * constant * (s3 * (s1 - s2) * (s2 - s3) / (s1 * s1)));
}

}  // namespace plait::boussinesq
