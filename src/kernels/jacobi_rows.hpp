// SPDX-License-Identifier: BSD-3-Clause
// The innermost part of the Jacobi update: a block of rows, one version an instruction set.
#pragma once

#include <cstddef>

#include "kernels/instruction_set.hpp"

namespace plait::detail {

/// Cells [0, n) of `rows` rows in `planes` planes. Pointers are to cell (0, 0, 0), strides in
/// elements. The strides of `next` are multiples of 64 bytes, so that rows are aligned alike.
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
  /// For `cached`: rows that will be needed soon, brought near meanwhile; nullptr: none.
  const double* ahead[2] = {nullptr, nullptr};
  std::ptrdiff_t ahead_stride_y = 0;
  int n = 0;
  int rows = 0;
  int planes = 0;
};

/// next = (((x- + x+) + (y- + y+)) + (z- + z+) [- g]) * (1.0 / 6.0).
using RowsFunction = void (*)(const RowsTask& task);

/// The planes that a kernel updates side by side: a value that several of them need is loaded once.
inline constexpr int planes_at_once = 4;
/// With streaming stores, fewer: their rows stay in the first cache until the next row needs them.
inline constexpr int streamed_planes = 2;

/// The update of one instruction set.
struct JacobiRows {
  InstructionSet set;
  RowsFunction cached;
  /// Past the caches, with old values prefetched; the same as `cached` where there is no such
  /// store.
  RowsFunction streaming;
  /// Makes streamed values visible before what is stored after it.
  void (*fence)();
};

/// @param set  one of instruction_sets()
const JacobiRows& jacobi_rows(InstructionSet set);
/// That of the widest instruction set that this CPU has.
const JacobiRows& jacobi_rows();

/// Whether this architecture has stores that pass the caches, and Plait a kernel with them.
bool has_streaming_stores();

}  // namespace plait::detail
