// SPDX-License-Identifier: BSD-3-Clause
// The instruction sets that the kernels are compiled for, and those that this CPU has.
#pragma once

#include <vector>

namespace plait::detail {

/// On other architectures than x86-64 there is only `baseline`.
enum class InstructionSet { baseline, avx2, avx512 };

/// Those of this CPU, from the narrowest up. x86-64's baseline is SSE2.
std::vector<InstructionSet> instruction_sets();

/// "baseline", "avx2", "avx512".
const char* name_of(InstructionSet set);

}  // namespace plait::detail
