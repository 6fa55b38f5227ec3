// SPDX-License-Identifier: BSD-3-Clause
// Sorts the rows of each tile by length, and chooses their product for an instruction set.
#include "kernels/sparse_tiles.hpp"

#include <algorithm>

namespace plait::detail {

// Each is sparse_products_isa.cpp compiled for that instruction set.
namespace baseline {
const SparseFunctions& sparse_functions();
}
#if defined(__x86_64__)
namespace avx2 {
const SparseFunctions& sparse_functions();
}
#endif

/// The entries of each row of a band in one block of columns.
struct Segments {
  std::vector<std::int64_t> begin, end;

  [[nodiscard]] std::uint32_t length(std::uint16_t row) const {
    return static_cast<std::uint32_t>(end[row] - begin[row]);
  }
};

namespace {

/// Writes the rows of a group, `lanes` at a time as long as there are that many.
template <class Index>
void write_group(const std::vector<std::uint16_t>& order, std::size_t first, const RowGroup& group,
                 int lanes, const Segments& segments, const SparseRows<int>& rows, int first_column,
                 const Entries<Index>& entries, std::int64_t& to) {
  std::size_t done = 0;
  while (done < group.rows) {
    const std::size_t wide =
        group.rows - done >= static_cast<std::size_t>(lanes) ? static_cast<std::size_t>(lanes) : 1;
    for (std::uint32_t k = 0; k < group.length; ++k) {
      for (std::size_t lane = 0; lane < wide; ++lane, ++to) {
        const auto from = static_cast<std::size_t>(segments.begin[order[first + done + lane]] + k);
        entries.values[to] = rows.values[from];
        entries.columns[to] = static_cast<Index>(rows.columns[from] - first_column);
      }
    }
    done += wide;
  }
}

}  // namespace

template <class Index>
void fill_band(Band& band, const SparseRows<int>& rows, const TileShape& shape,
               const Entries<Index>& entries) {
  const auto count = static_cast<std::size_t>(band.rows);
  const std::int64_t* starts = rows.starts.data() + band.first_row;
  Segments segments{{starts, starts + count}, {starts, starts + count}};
  std::int64_t to = band.first_entry;
  std::vector<std::uint16_t> order;
  while (true) {
    // The block of columns with the first entry that is left; blocks without entries are skipped.
    std::int64_t least = -1;
    for (std::size_t row = 0; row < count; ++row) {
      if (segments.end[row] == starts[row + 1]) continue;
      const int column = rows.columns[static_cast<std::size_t>(segments.end[row])];
      if (least < 0 || column < least) least = column;
    }
    if (least < 0) break;
    const auto first_column = static_cast<int>(least / shape.block_columns * shape.block_columns);
    order.clear();
    for (std::size_t row = 0; row < count; ++row) {
      std::int64_t& end = segments.end[row];
      segments.begin[row] = end;
      while (end < starts[row + 1] &&
             rows.columns[static_cast<std::size_t>(end)] - first_column < shape.block_columns) {
        ++end;
      }
      if (end > segments.begin[row]) order.push_back(static_cast<std::uint16_t>(row));
    }
    if (shape.lanes > 1) {
      std::stable_sort(order.begin(), order.end(), [&](std::uint16_t a, std::uint16_t b) {
        return segments.length(a) < segments.length(b);
      });
    }
    Tile tile{first_column, 0};
    for (std::size_t first = 0; first < order.size();) {
      RowGroup group{segments.length(order[first]), 1};
      while (first + group.rows < order.size() &&
             segments.length(order[first + group.rows]) == group.length) {
        ++group.rows;
      }
      write_group(order, first, group, shape.lanes, segments, rows, first_column, entries, to);
      band.groups.push_back(group);
      first += group.rows;
      ++tile.groups;
    }
    band.tiles.push_back(tile);
    band.row_numbers.insert(band.row_numbers.end(), order.begin(), order.end());
  }
}

namespace {

template <class Index>
SparseTask<Index> task_of(const Band& band, const Entries<Index>& entries, const double* x,
                          double* y) {
  return {band.tiles.data(),
          band.tiles.data() + band.tiles.size(),
          band.groups.data(),
          band.row_numbers.data(),
          entries.values + band.first_entry,
          entries.columns + band.first_entry,
          x,
          y + band.first_row};
}

const SparseFunctions& functions() {
  static const SparseFunctions& best = sparse_functions(instruction_sets().back());
  return best;
}

}  // namespace

const SparseFunctions& sparse_functions(InstructionSet set) {
#if defined(__x86_64__)
  if (set != InstructionSet::baseline) return avx2::sparse_functions();
#else
  static_cast<void>(set);
#endif
  return baseline::sparse_functions();
}

void add_band(const Band& band, int lanes, const Entries<std::uint16_t>& entries, const double* x,
              double* y) {
  const SparseTask<std::uint16_t> task = task_of(band, entries, x, y);
  lanes == kLanes ? functions().in_lanes(task) : functions().split(task);
}

void add_band(const Band& band, const Entries<std::uint32_t>& entries, const double* x, double* y) {
  functions().crs(task_of(band, entries, x, y));
}

template void fill_band(Band&, const SparseRows<int>&, const TileShape&,
                        const Entries<std::uint16_t>&);
template void fill_band(Band&, const SparseRows<int>&, const TileShape&,
                        const Entries<std::uint32_t>&);

}  // namespace plait::detail
