// SPDX-License-Identifier: BSD-3-Clause
// The memory-bound kernels that are timed: layout, names, and the choice of a variant.
#include "measure/kernels.hpp"

#include <algorithm>

#include "base/failure.hpp"
#include "kernels/block_rows.hpp"
#include "kernels/jacobi_rows.hpp"
#include "plait/error.hpp"

namespace plait::measure {

// Each is kernels_isa.cpp compiled for that instruction set.
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
  // A row: a cache line whose last double is the left boundary, the interior, the right boundary.
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
  throw Failure(name_of(isa), "this architecture has no kernels for this instruction set",
                "use the portable kernels");
}

void sweep_jacobi(Isa isa, bool non_temporal, const JacobiGrid& grid, double* out, const double* in,
                  int z_begin, int z_end) {
  const auto set = isa == Isa::avx512 ? detail::InstructionSet::avx512
                   : isa == Isa::avx2 ? detail::InstructionSet::avx2
                                      : detail::InstructionSet::baseline;
  const detail::JacobiRows& rows = detail::jacobi_rows(set);
  detail::RowsTask task;
  task.now_stride_y = task.next_stride_y = static_cast<std::ptrdiff_t>(grid.row);
  task.now_stride_z = task.next_stride_z = static_cast<std::ptrdiff_t>(grid.plane);
  task.n = grid.nx;
  task.planes = z_end - z_begin;
  // Other threads update the remaining planes.
  const int block =
      detail::block_rows({grid.nx, grid.ny, grid.nz},
                         std::max(1, grid.nz / std::max(1, task.planes)), 1, non_temporal);
  for (int y = 0; y < grid.ny; y += block) {
    task.now = in + grid.at(0, y, z_begin);
    task.next = out + grid.at(0, y, z_begin);
    task.rows = std::min(block, grid.ny - y);
    non_temporal ? rows.streaming(task) : rows.cached(task);
  }
  if (non_temporal) rows.fence();
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
  const bool two_arrays = kernel == StreamKernel::copy || kernel == StreamKernel::scale;
  return (two_arrays ? 2 : 3) * static_cast<int>(sizeof(double));
}

}  // namespace plait::measure
