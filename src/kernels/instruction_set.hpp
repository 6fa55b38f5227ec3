// SPDX-License-Identifier: BSD-3-Clause
// The instruction sets for which kernels are compiled, and those that this CPU supports.
#pragma once

#include <vector>

namespace plait::detail {

/// Architectures other than x86-64 only have `baseline`. The baseline of x86-64 is SSE2.
enum class InstructionSet { baseline, avx2, avx512 };

/// The instruction sets that this CPU supports, from the narrowest up.
std::vector<InstructionSet> instruction_sets();

/// "baseline", "avx2", "avx512".
const char* name_of(InstructionSet set);

}  // namespace plait::detail
