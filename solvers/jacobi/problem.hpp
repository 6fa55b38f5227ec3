// SPDX-License-Identifier: BSD-3-Clause
// The problem solved: Laplace's equation with a known solution on a box of cubic cells.
#pragma once

#include <cstdint>

#include "grid.hpp"

namespace plait::jacobi {

/// The boundary values and exact solution, x^2 + y^2 - 2 z^2, where the box is 1 wide along x. It
/// is harmonic and of second degree, so that the 6-point stencil has no truncation error.
inline double exact_value(const Triple& size, int i, int j, int k) {
  const double x = static_cast<double>(i) / (size[0] + 1);
  const double y = static_cast<double>(j) / (size[0] + 1);
  const double z = static_cast<double>(k) / (size[0] + 1);
  return x * x + y * y - 2.0 * z * z;
}

/// The first guess: noise in [0, 1) that depends on the global point alone, so that every cut of
/// the grid starts alike and an exchange of wrong values shows (Vigna's splitmix64).
inline double first_guess(const Triple& size, int i, int j, int k) {
  std::uint64_t bits =
      static_cast<std::uint64_t>(i) +
      static_cast<std::uint64_t>(size[0] + 2) *
          (static_cast<std::uint64_t>(j) +
           static_cast<std::uint64_t>(size[1] + 2) * static_cast<std::uint64_t>(k));
  bits += 0x9e3779b97f4a7c15U;
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  bits ^= bits >> 31U;
  return static_cast<double>(bits >> 11U) * 0x1.0p-53;
}

/// The value that the iteration starts from at a global point, boundary included.
inline double start_value(const Triple& size, int i, int j, int k) {
  const bool boundary =
      i == 0 || j == 0 || k == 0 || i == size[0] + 1 || j == size[1] + 1 || k == size[2] + 1;
  return boundary ? exact_value(size, i, j, k) : first_guess(size, i, j, k);
}

}  // namespace plait::jacobi
