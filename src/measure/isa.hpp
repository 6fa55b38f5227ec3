// SPDX-License-Identifier: BSD-3-Clause
// The vector instruction sets of the kernels, chosen at run time.
#pragma once

#include <string>
#include <vector>

namespace plait::measure {

/// Kernel variants, from the portable one up. Architectures other than x86-64 only have `portable`.
enum class Isa { portable, sse2, avx2, avx512 };

/// The variants that this CPU supports, from the portable one up.
std::vector<Isa> supported_isas();

/// The widest supported variant.
Isa best_isa();

/// True when the variant has stores that bypass the caches.
bool has_non_temporal_stores(Isa isa);

/// "portable", "SSE2", "AVX2", "AVX-512".
std::string name_of(Isa isa);

}  // namespace plait::measure
