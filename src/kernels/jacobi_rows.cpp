// SPDX-License-Identifier: BSD-3-Clause
// Chooses the Jacobi update for an instruction set.
#include "kernels/jacobi_rows.hpp"

namespace plait::detail {

// Each is jacobi_rows_isa.cpp compiled for that instruction set.
namespace baseline {
const JacobiRows& rows();
}
#if defined(__x86_64__)
namespace avx2 {
const JacobiRows& rows();
}
namespace avx512 {
const JacobiRows& rows();
}
#endif

const JacobiRows& jacobi_rows(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::avx512) return avx512::rows();
  if (set == InstructionSet::avx2) return avx2::rows();
#else
  static_cast<void>(set);
#endif
  return baseline::rows();
}

const JacobiRows& jacobi_rows() {
  static const JacobiRows& best = jacobi_rows(instruction_sets().back());
  return best;
}

bool has_streaming_stores() {
#if defined(__x86_64__)
  return true;
#else
  return false;
#endif
}

}  // namespace plait::detail
