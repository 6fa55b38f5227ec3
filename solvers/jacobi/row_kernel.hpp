// SPDX-License-Identifier: BSD-3-Clause
// One row of a Jacobi sweep, in versions for the instruction sets of this CPU.
#pragma once

namespace plait::jacobi {

/// The five rows that one new row is made of.
struct RowNeighbours {
  const double* centre;
  const double* south;  ///< j - 1
  const double* north;  ///< j + 1
  const double* below;  ///< k - 1
  const double* above;  ///< k + 1
};

/// new_row[i] = mean of the six neighbours, 1 <= i <= n, always summed in the same order.
using RowKernel = void (*)(double* new_row, const RowNeighbours& old, int n);

/// The kernel for this CPU.
/// @param streaming  stores bypass the caches; new_row + 1 must be aligned to 64 bytes
RowKernel select_row_kernel(bool streaming);

/// Whether this CPU has stores that bypass the caches, and Plait a kernel with them.
bool has_streaming_stores();

/// Makes streaming stores visible in order; call it before another process may read the row.
void finish_streaming_stores();

}  // namespace plait::jacobi
