// SPDX-License-Identifier: BSD-3-Clause
// Which vector instructions the kernels use, chosen when the program runs.
#pragma once

#include <string>
#include <vector>

namespace plait::measure {

/// Kernel variants, from the portable one up. On other architectures only `portable` exists.
enum class Isa { portable, sse2, avx2, avx512 };

/// The variants that this processor runs, from the portable one up.
std::vector<Isa> supported_isas();

/// The widest of them.
Isa best_isa();

/// True when the variant has stores that bypass the caches.
bool has_non_temporal_stores(Isa isa);

std::string name_of(Isa isa);

}  // namespace plait::measure
