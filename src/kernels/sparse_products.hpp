// SPDX-License-Identifier: BSD-3-Clause
// The innermost part of sparse products: the tiles of a band, one version per instruction set.
#pragma once

#include <cstdint>

#include "kernels/instruction_set.hpp"

namespace plait::detail {

/// Rows of a tile with the same number of entries.
struct RowGroup {
  std::uint32_t length;
  std::uint32_t rows;
};

/// The entries of a band in one block of columns.
struct Tile {
  std::int32_t first_column;
  std::uint32_t groups;
};

/// Rows that are multiplied at a time: enough for independent sums in all registers.
inline constexpr int kLanes = 8;

/// y += A x in the rows of a band; its entries are those of the tiles, one after the other.
template <class Index>
struct SparseTask {
  const Tile* tiles;
  const Tile* tiles_end;
  const RowGroup* groups;
  const std::uint16_t* row_numbers;
  const double* values;
  const Index* columns;
  const double* x;
  double* y;  ///< of the first row of the band
};

/// The products of one instruction set. All give the same bits.
struct SparseFunctions {
  void (*in_lanes)(const SparseTask<std::uint16_t>& task);  ///< of bands filled with kLanes
  void (*split)(const SparseTask<std::uint16_t>& task);
  void (*crs)(const SparseTask<std::uint32_t>& task);
};

/// @param set  one of instruction_sets(); avx512 has the functions of avx2
const SparseFunctions& sparse_functions(InstructionSet set);

}  // namespace plait::detail
