// SPDX-License-Identifier: BSD-3-Clause
// References for the library's kernels: the obvious loop, and a hand-written one.
#pragma once

#include "plait/box.hpp"
#include "plait/field.hpp"

namespace plait::bench {

/// Three plain loops, vectorized by the compiler for the instruction set of this CPU.
void naive_update(const Field<double>& now, Field<double>& next, const Box& box);

/// Row by row in AVX-512 intrinsics, stores through the caches; naive_update() on other CPUs.
void hand_update(const Field<double>& now, Field<double>& next, const Box& box);
bool has_hand_update();

}  // namespace plait::bench
