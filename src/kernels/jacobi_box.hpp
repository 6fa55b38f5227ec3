// SPDX-License-Identifier: BSD-3-Clause
// The Jacobi update of a box by one thread; everything that may vary is an argument.
#pragma once

#include "kernels/jacobi_rows.hpp"
#include "plait/box.hpp"
#include "plait/field.hpp"

namespace plait::detail {

/// Updates the cells of `box` in `next` from `now`.
/// @param streaming   use rows.streaming, which bypasses the caches, instead of rows.cached
/// @param block_rows  rows of a block along y; each block is swept through all of z before the next
/// @param g           right-hand side; nullptr: zero
void update_box(const JacobiRows& rows, bool streaming, int block_rows, const Field<double>& now,
                Field<double>& next, const Box& box, const Field<double>* g);

}  // namespace plait::detail
