// SPDX-License-Identifier: BSD-3-Clause
// The memory-bound kernels that are timed: STREAM's four and the 6-point Jacobi sweep.
#pragma once

#include <cstddef>

#include "measure/isa.hpp"

namespace plait::measure {

/// The four kernels of STREAM (McCalpin): copy c = a, scale b = q c, add c = a + b, triad a = b + q
/// c.
enum class StreamKernel { copy, scale, add, triad };

/// Computes out = x, q x, x + y or x + q y for n elements; copy and scale do not read `y`. With
/// non-temporal stores, `out` must be aligned to 64 bytes.
using StreamFunction = void (*)(double* out, const double* x, const double* y, double q,
                                std::size_t n);

/// The layout of a box of doubles surrounded by one boundary layer; x is contiguous.
struct JacobiGrid {
  int nx = 0, ny = 0, nz = 0;  ///< interior points
  std::size_t row = 0;         ///< doubles from one row to the next
  std::size_t plane = 0;       ///< doubles from one plane to the next
  std::size_t first = 0;       ///< index of interior point (0, 0, 0)

  /// A layout in which the interior of each row starts at a multiple of 64 bytes.
  /// @param nx, ny, nz  interior points
  static JacobiGrid of(int nx, int ny, int nz);
  /// The size of the array, including the boundary.
  [[nodiscard]] std::size_t doubles() const;
  /// The index of an interior point.
  [[nodiscard]] std::size_t at(int x, int y, int z) const {
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(first) + x +
                                    y * static_cast<std::ptrdiff_t>(row) +
                                    z * static_cast<std::ptrdiff_t>(plane));
  }
};

/// Runs one Jacobi sweep on one thread with the kernel and the blocking of the library: out = ((w +
/// e)
/// + (s + n) + (b + t)) / 6 on the planes [z_begin, z_end) (Stengel 2010, section 1.1). All
/// variants give the same bits.
/// @param non_temporal  only if has_non_temporal_stores(isa)
void sweep_jacobi(Isa isa, bool non_temporal, const JacobiGrid& grid, double* out, const double* in,
                  int z_begin, int z_end);

/// The STREAM kernels of one instruction set; null if it has no non-temporal stores.
struct KernelTable {
  /// Returns a sum of `n` rounds of peak_flops multiply-adds in registers, which must be used.
  double (*peak)(double factor, std::size_t n);
  double peak_flops;            ///< operations per round; a multiply-add counts twice
  StreamFunction stream[4][2];  ///< [kernel][non_temporal]
};

/// The STREAM kernels of an instruction set.
/// @throws Error when this architecture does not have it.
const KernelTable& kernels_of(Isa isa);

/// "copy", "scale", "add", "triad".
const char* name_of(StreamKernel kernel);

/// Bytes that STREAM counts per element: two or three doubles; write-allocate is not counted.
int stream_bytes_per_element(StreamKernel kernel);

}  // namespace plait::measure
