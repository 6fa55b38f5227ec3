// SPDX-License-Identifier: BSD-3-Clause
// Work that takes time in proportion to its amount, and functions of a library that do it.
#pragma once

__attribute__((always_inline)) static inline double split_work(long amount) {
  double value = 1;
  for (long i = 0; i < amount; ++i) {
    value = value * 1.0000001 + 1e-9;
    if (value > 2) value -= 1;
  }
  return value;
}

void library_ten(long unit);
void library_thirty(long unit);
void library_sixty(long unit);
