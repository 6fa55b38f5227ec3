// SPDX-License-Identifier: BSD-3-Clause
// A library without debug information and frame pointers.
#include "split.h"

static volatile double sink;

void library_ten(long unit) {
  sink = sink + split_work(1 * unit);
}

void library_thirty(long unit) {
  sink = sink + split_work(3 * unit);
}

void library_sixty(long unit) {
  sink = sink + split_work(6 * unit);
}
