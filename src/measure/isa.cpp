// SPDX-License-Identifier: BSD-3-Clause
// The vector instruction sets of the kernels, chosen at run time.
#include "measure/isa.hpp"

namespace plait::measure {

std::vector<Isa> supported_isas() {
  std::vector<Isa> isas{Isa::portable};
#if defined(__x86_64__)
  isas.push_back(Isa::sse2);  // part of every x86-64 processor
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) isas.push_back(Isa::avx2);
  if (__builtin_cpu_supports("avx512f")) isas.push_back(Isa::avx512);
#endif
  return isas;
}

Isa best_isa() {
  return supported_isas().back();
}

bool has_non_temporal_stores(Isa isa) {
  return isa != Isa::portable;
}

std::string name_of(Isa isa) {
  switch (isa) {
    case Isa::sse2:
      return "SSE2";
    case Isa::avx2:
      return "AVX2";
    case Isa::avx512:
      return "AVX-512";
    case Isa::portable:
      break;
  }
  return "portable";
}

}  // namespace plait::measure
