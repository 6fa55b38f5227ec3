// SPDX-License-Identifier: BSD-3-Clause
// The reference for kernels: a plain loop over a box, and a bitwise comparison of fields.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>

#include "plait/box.hpp"
#include "plait/field.hpp"

namespace plait::testing {

template <class Body>
void for_each_cell(const Box& box, Body body) {
  for (int k = box.first[2]; k < box.last[2]; ++k) {
    for (int j = box.first[1]; j < box.last[1]; ++j) {
      for (int i = box.first[0]; i < box.last[0]; ++i) body(i, j, k);
    }
  }
}

/// Sets all cells and ghosts to uniform random values in [-1, 1).
inline void randomize(Field<double>& field, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for_each_cell(field.with_ghosts(),
                [&](int i, int j, int k) { field(i, j, k) = uniform(random); });
}

/// Copies cells and ghosts between fields of the same shape.
inline void copy(const Field<double>& from, Field<double>& to) {
  for_each_cell(from.with_ghosts(), [&](int i, int j, int k) { to(i, j, k) = from(i, j, k); });
}

/// The update as include/plait/jacobi_kernel.hpp defines it.
inline void plain_update(const Field<double>& now, Field<double>& next, const Box& box,
                         const Field<double>* g) {
  for_each_cell(box, [&](int i, int j, int k) {
    double sum = ((now(i - 1, j, k) + now(i + 1, j, k)) + (now(i, j - 1, k) + now(i, j + 1, k))) +
                 (now(i, j, k - 1) + now(i, j, k + 1));
    if (g != nullptr) sum -= (*g)(i, j, k);
    next(i, j, k) = sum * (1.0 / 6.0);
  });
}

/// The number of cells in the box whose bits differ.
inline std::int64_t different_cells(const Field<double>& a, const Field<double>& b,
                                    const Box& box) {
  std::int64_t different = 0;
  for_each_cell(box, [&](int i, int j, int k) {
    if (std::memcmp(&a(i, j, k), &b(i, j, k), sizeof(double)) != 0) ++different;
  });
  return different;
}

}  // namespace plait::testing
