// SPDX-License-Identifier: BSD-3-Clause
// Products of the tiles of a band, compiled once for each instruction set (PLAIT_ISA: baseline,
// avx2).
//
// Nothing of the standard library may be instantiated here: the linker could keep a copy with
// instructions that another processor does not have.
#include "kernels/sparse_products.hpp"

namespace plait::detail::PLAIT_ISA {
namespace {

/// How far ahead of their use entries are fetched into the second-level cache: the hardware stops
/// at the end of each page. The first-level cache is for x.
constexpr int kAhead = 512;
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
  __builtin_memcpy(&word, at, sizeof word);
  asm("" : "+r"(word));
  const std::uint32_t low = word & 0xffffU, high = word >> 16U;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  return {low, high};
#else
  return {high, low};
#endif
}

/// Continues the sums of kLanes rows by `length` entries each. Wider vectors than pairs are not
/// faster, because x is read element by element; AVX saves copies of registers.
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
      __builtin_memcpy(&value, values + 2 * i, sizeof value);
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

/// y += A x in the rows of a band; with lanes, kLanes rows at a time as long as there are that
/// many.
template <class Index, bool lanes>
void add_band(const SparseTask<Index>& task) {
  Cursor<Index> at{task.values, task.columns};
  const std::uint16_t* rows = task.row_numbers;
  const RowGroup* group = task.groups;
  for (const Tile* tile = task.tiles; tile != task.tiles_end; ++tile) {
    const double* part = task.x + tile->first_column;
    for (const RowGroup* end = group + tile->groups; group != end; ++group) {
      std::uint32_t left = group->rows;
      if constexpr (lanes) {
        for (; left >= kLanes; left -= kLanes, rows += kLanes) {
          add_chunk(at, group->length, rows, part, task.y);
        }
      }
      for (; left > 0; --left, ++rows) add_row(at, group->length, part, task.y[*rows]);
    }
  }
}

constexpr SparseFunctions table{add_band<std::uint16_t, true>, add_band<std::uint16_t, false>,
                                add_band<std::uint32_t, false>};

}  // namespace

const SparseFunctions& sparse_functions() {
  return table;
}

}  // namespace plait::detail::PLAIT_ISA
