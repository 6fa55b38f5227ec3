// SPDX-License-Identifier: BSD-3-Clause
// The innermost part of the Jacobi update: a block of rows, one version per instruction set.
#pragma once

#include <cstddef>

#include "kernels/instruction_set.hpp"

namespace plait::detail {

/// Cells [0, n) of `rows` rows in `planes` planes. Pointers are to cell (0, 0, 0), strides are in
/// elements. The strides of `next` are multiples of 64 bytes, so all rows have the same alignment.
struct RowsTask {
  const double* now = nullptr;
  double* next = nullptr;
  const double* g = nullptr;  ///< nullptr: zero
  std::ptrdiff_t now_stride_y = 0;
  std::ptrdiff_t now_stride_z = 0;
  std::ptrdiff_t next_stride_y = 0;
  std::ptrdiff_t next_stride_z = 0;
  std::ptrdiff_t g_stride_y = 0;
  std::ptrdiff_t g_stride_z = 0;
  /// For `cached`: rows that will be needed soon and are prefetched; nullptr: none.
  const double* ahead[2] = {nullptr, nullptr};
  std::ptrdiff_t ahead_stride_y = 0;
  int n = 0;
  int rows = 0;
  int planes = 0;
};

/// next = (((x- + x+) + (y- + y+)) + (z- + z+) [- g]) * (1.0 / 6.0).
using RowsFunction = void (*)(const RowsTask& task);

/// The planes that a kernel updates together: a value that several of them need is loaded once.
inline constexpr int planes_at_once = 4;
/// The same with streaming stores. Fewer, so that their rows stay in the first-level cache until
/// the next row needs them.
inline constexpr int streamed_planes = 2;

/// The functions of one instruction set.
struct JacobiRows {
  InstructionSet set;
  RowsFunction cached;
  /// Stores bypass the caches, and old values are prefetched; the same as `cached` on architectures
  /// without such stores.
  RowsFunction streaming;
  /// Makes streamed values visible before all later stores.
  void (*fence)();
};

/// The update of one instruction set.
/// @param set  one of instruction_sets()
const JacobiRows& jacobi_rows(InstructionSet set);
/// The update of the widest instruction set that this CPU supports.
const JacobiRows& jacobi_rows();

/// True when this architecture has stores that bypass the caches and Plait has a kernel with them.
bool has_streaming_stores();

}  // namespace plait::detail
