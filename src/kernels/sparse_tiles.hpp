// SPDX-License-Identifier: BSD-3-Clause
// The storage of a band of rows: tiles of rows and columns, in groups of rows of equal length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/sparse_products.hpp"
#include "plait/sparse_block.hpp"

namespace plait::detail {

/// Columns that an index of 2 bytes can distinguish; the same for the rows of a band.
inline constexpr int kMostTileRows = 65536;

/// The entries are in the arrays of the whole block, tile by tile and group by group. With lanes, a
/// group is stored in chunks of that many rows: first entries, second entries, and so on. The rows
/// that are left over follow one by one.
struct Band {
  int first_row = 0;
  int rows = 0;
  std::int64_t first_entry = 0;
  std::vector<Tile> tiles;
  std::vector<RowGroup> groups;
  std::vector<std::uint16_t> row_numbers;  ///< within the band, of all rows of all groups
};

struct TileShape {
  int block_columns = 0;
  int lanes = 1;  ///< or kLanes
};

/// The entries of the whole block; Index is std::uint16_t or std::uint32_t.
template <class Index>
struct Entries {
  double* values;
  Index* columns;  ///< relative to the first column of the tile
};

/// Fills a band whose first row, rows and first entry are set.
template <class Index>
void fill_band(Band& band, const SparseRows<int>& rows, const TileShape& shape,
               const Entries<Index>& entries);

/// y += A x in the rows of the band, which was filled with so many lanes.
void add_band(const Band& band, int lanes, const Entries<std::uint16_t>& entries, const double* x,
              double* y);
void add_band(const Band& band, const Entries<std::uint32_t>& entries, const double* x, double* y);

}  // namespace plait::detail
