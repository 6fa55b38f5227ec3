// SPDX-License-Identifier: BSD-3-Clause
// The Jacobi update of a box by one thread, with everything that may vary as an argument.
#pragma once

#include "kernels/jacobi_rows.hpp"
#include "plait/box.hpp"
#include "plait/field.hpp"

namespace plait::detail {

/// Updates `box` of `next` from `now`; `g` may be nullptr.
/// @param block_rows  rows of a block along y, which is swept through all of z before the next
void update_box(const JacobiRows& rows, bool streaming, int block_rows, const Field<double>& now,
                Field<double>& next, const Box& box, const Field<double>* g);

}  // namespace plait::detail
