// SPDX-License-Identifier: BSD-3-Clause
// Sorts the rows of each tile by length, and multiplies them.
#include "kernels/sparse_tiles.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace plait::detail {

/// The entries of each row of a band in one block of columns.
struct Segments {
  std::vector<std::int64_t> begin, end;

  [[nodiscard]] std::uint32_t length(std::uint16_t row) const {
    return static_cast<std::uint32_t>(end[row] - begin[row]);
  }
};

namespace {

/// How far ahead of their use entries are fetched into the second-level cache: the hardware stops
/// at the end of each page. The first-level cache is for x.
constexpr int kAhead = 4096;
constexpr int kSecondLevel = 2;  // of __builtin_prefetch()

using Pair [[gnu::vector_size(16)]] = double;

/// The next entries of a band.
template <class Index>
struct Cursor {
  const double* values;
  const Index* columns;
};

/// Two numbers that follow one another, in any order of bytes.
struct TwoIndices {
  std::uint32_t first, second;
};

/// Reads both at once: a core reads memory less often than it computes. The compiler would read
/// them one by one if it knew that the word is from memory.
inline TwoIndices two_indices(const std::uint16_t* at) {
  std::uint32_t word;
  std::memcpy(&word, at, sizeof word);
  asm("" : "+r"(word));
  const std::uint32_t low = word & 0xffffU, high = word >> 16U;
  if constexpr (std::endian::native == std::endian::little) return {low, high};
  return {high, low};
}

/// Continues the sums of kLanes rows by `length` entries each. Pairs are vectors of every x86-64;
/// wider ones are not faster, because x is read element by element.
inline void add_chunk(Cursor<std::uint16_t>& at, std::uint32_t length, const std::uint16_t* rows,
                      const double* x, double* y) {
  constexpr int pairs = kLanes / 2;
  Pair sums[pairs];
  for (int i = 0; i < pairs; ++i) {
    const TwoIndices two = two_indices(rows + 2 * i);
    sums[i] = Pair{y[two.first], y[two.second]};
  }
  const double* values = at.values;
  const std::uint16_t* columns = at.columns;
  const double* const end = values + static_cast<std::size_t>(length) * kLanes;
  for (; values != end; values += kLanes, columns += kLanes) {
    __builtin_prefetch(values + kAhead, 0, kSecondLevel);
    __builtin_prefetch(columns + kAhead, 0, kSecondLevel);
    for (int i = 0; i < pairs; ++i) {
      Pair value;
      std::memcpy(&value, values + 2 * i, sizeof value);
      const TwoIndices two = two_indices(columns + 2 * i);
      sums[i] += value * Pair{x[two.first], x[two.second]};
    }
  }
  at = {values, columns};
  asm("" : "+r"(rows));  // read them again: there are not enough registers to keep eight places
  for (int i = 0; i < pairs; ++i) {
    const TwoIndices two = two_indices(rows + 2 * i);
    y[two.first] = sums[i][0];
    y[two.second] = sums[i][1];
  }
}

template <class Index>
inline void add_row(Cursor<Index>& at, std::uint32_t length, const double* x, double& y) {
  double sum = y;
  for (std::uint32_t k = 0; k < length; ++k) sum += at.values[k] * x[at.columns[k]];
  y = sum;
  at.values += length;
  at.columns += length;
}

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

template <class Index>
void add_band(const Band& band, int lanes, const Entries<Index>& entries, const double* x,
              double* y) {
  Cursor<Index> at{entries.values + band.first_entry, entries.columns + band.first_entry};
  const std::uint16_t* rows = band.row_numbers.data();
  const RowGroup* group = band.groups.data();
  double* own = y + band.first_row;
  for (const Tile& tile : band.tiles) {
    const double* part = x + tile.first_column;
    for (const RowGroup* end = group + tile.groups; group != end; ++group) {
      std::uint32_t left = group->rows;
      if constexpr (sizeof(Index) == sizeof(std::uint16_t)) {
        for (; lanes == kLanes && left >= kLanes; left -= kLanes, rows += kLanes) {
          add_chunk(at, group->length, rows, part, own);
        }
      }
      for (; left > 0; --left, ++rows) add_row(at, group->length, part, own[*rows]);
    }
  }
}

template void fill_band(Band&, const SparseRows<int>&, const TileShape&,
                        const Entries<std::uint16_t>&);
template void fill_band(Band&, const SparseRows<int>&, const TileShape&,
                        const Entries<std::uint32_t>&);
template void add_band(const Band&, int, const Entries<std::uint16_t>&, const double*, double*);
template void add_band(const Band&, int, const Entries<std::uint32_t>&, const double*, double*);

}  // namespace plait::detail
