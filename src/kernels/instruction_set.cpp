// SPDX-License-Identifier: BSD-3-Clause
// The instruction sets for which kernels are compiled, and those that this CPU supports.
#include "kernels/instruction_set.hpp"

namespace plait::detail {

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets{InstructionSet::baseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) sets.push_back(InstructionSet::avx2);
  if (__builtin_cpu_supports("avx512f")) sets.push_back(InstructionSet::avx512);
#endif
  return sets;
}

const char* name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::avx512:
      return "avx512";
    case InstructionSet::baseline:
      break;
  }
  return "baseline";
}

}  // namespace plait::detail
