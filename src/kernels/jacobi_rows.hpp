// SPDX-License-Identifier: BSD-3-Clause
// The innermost part of the Jacobi update: some rows of one plane, one version an instruction set.
#pragma once

#include <cstddef>

#include "kernels/instruction_set.hpp"

namespace plait::detail {

/// Rows [0, rows) of cells [0, n) of one plane. Pointers are to cell (0, 0); strides in elements.
struct RowsTask {
  const double* now = nullptr;
  double* next = nullptr;
  const double* g = nullptr;  ///< nullptr: zero
  std::ptrdiff_t now_stride_y = 0;
  std::ptrdiff_t now_stride_z = 0;
  std::ptrdiff_t next_stride_y = 0;
  std::ptrdiff_t g_stride_y = 0;
  int n = 0;
  int rows = 0;
};

/// next = (((x- + x+) + (y- + y+)) + (z- + z+) [- g]) * (1.0 / 6.0).
using RowsFunction = void (*)(const RowsTask& task);

/// The update of one instruction set.
struct JacobiRows {
  InstructionSet set;
  RowsFunction cached;
  RowsFunction streaming;  ///< the same as `cached` where there are no streaming stores
  void (*fence)();         ///< makes streamed values visible before what is stored after it
};

/// @param set  one of instruction_sets()
const JacobiRows& jacobi_rows(InstructionSet set);
/// That of the widest instruction set that this CPU has.
const JacobiRows& jacobi_rows();

/// Whether this architecture has stores that pass the caches, and Plait a kernel with them.
bool has_streaming_stores();

}  // namespace plait::detail
