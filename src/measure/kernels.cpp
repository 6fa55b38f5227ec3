// SPDX-License-Identifier: BSD-3-Clause
// The memory-bound kernels that are timed: layout, names, and the choice of the variant.
#include "measure/kernels.hpp"

#include "plait/error.hpp"

namespace plait::measure {

// Each is kernels_isa.cpp, compiled for that instruction set.
namespace portable {
const KernelTable& kernels();
}
#if defined(__x86_64__)
namespace sse2 {
const KernelTable& kernels();
}
namespace avx2 {
const KernelTable& kernels();
}
namespace avx512 {
const KernelTable& kernels();
}
#endif

JacobiGrid JacobiGrid::of(int nx, int ny, int nz) {
  constexpr std::size_t kLine = 8;  // doubles in 64 bytes
  JacobiGrid grid;
  grid.nx = nx;
  grid.ny = ny;
  grid.nz = nz;
  // A row: one line of which the last double is the left boundary, the interior, the right one.
  grid.row = (kLine + static_cast<std::size_t>(nx) + 1 + kLine - 1) / kLine * kLine;
  grid.plane = grid.row * (static_cast<std::size_t>(ny) + 2);
  grid.first = grid.plane + grid.row + kLine;
  return grid;
}

std::size_t JacobiGrid::doubles() const {
  return plane * (static_cast<std::size_t>(nz) + 2);
}

const KernelTable& kernels_of(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::sse2) return sse2::kernels();
  if (isa == Isa::avx2) return avx2::kernels();
  if (isa == Isa::avx512) return avx512::kernels();
#endif
  if (isa == Isa::portable) return portable::kernels();
  throw Error(name_of(isa), "no kernels for this instruction set on this architecture",
              "use the portable ones", 1);
}

const char* name_of(StreamKernel kernel) {
  switch (kernel) {
    case StreamKernel::copy:
      return "copy";
    case StreamKernel::scale:
      return "scale";
    case StreamKernel::add:
      return "add";
    case StreamKernel::triad:
      break;
  }
  return "triad";
}

int stream_bytes_per_element(StreamKernel kernel) {
  const bool two_words = kernel == StreamKernel::copy || kernel == StreamKernel::scale;
  return (two_words ? 2 : 3) * static_cast<int>(sizeof(double));
}

}  // namespace plait::measure
