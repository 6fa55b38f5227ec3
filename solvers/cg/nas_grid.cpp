// SPDX-License-Identifier: BSD-3-Clause
// Computes blocks and partners on the process grid of the NAS CG benchmark.
#include "nas_grid.hpp"

#include <algorithm>

namespace plait::cg {
namespace {

/// The `number`-th of `parts` parts of `size`; the first parts are longer by one if it must be.
Span part_of(int size, int parts, int number) {
  const int least = size / parts;
  const int longer = size % parts;
  return {number * least + std::min(number, longer), least + (number < longer ? 1 : 0)};
}

/// The first half, which is the longer one, or the second.
Span half_of(const Span& whole, int number) {
  const Span half = part_of(whole.count, 2, number);
  return {whole.first + half.first, half.count};
}

}  // namespace

bool is_power_of_two(int ranks) {
  return ranks > 0 && (ranks & (ranks - 1)) == 0;
}

NasGrid nas_grid(int size, int ranks, int rank) {
  NasGrid grid;
  while (grid.process_rows * grid.process_columns < ranks) {
    if (grid.process_columns == grid.process_rows) {
      grid.process_columns *= 2;
    } else {
      grid.process_rows *= 2;
    }
  }
  const int rows = grid.process_rows, columns = grid.process_columns;
  const bool square = rows == columns;
  const int row = rank / columns, column = rank % columns;
  grid.rows = part_of(size, rows, row);
  // On a grid that is not square, a column of it has half of the columns of a square grid, and a
  // rank keeps half of its rows.
  grid.columns = square ? part_of(size, columns, column)
                        : half_of(part_of(size, rows, column / 2), column % 2);
  const Span all{0, grid.rows.count};
  grid.kept = square ? all : half_of(all, rank % 2);
  grid.transpose_partner = square ? rank % rows * rows + rank / rows
                                  : 2 * (rank / 2 % rows * rows + rank / 2 / rows) + rank % 2;
  for (int distance = 1; distance < columns; distance *= 2) {
    Exchange exchange{row * columns + (column ^ distance), grid.kept, grid.kept};
    if (!square && distance == 1) exchange.send = half_of(all, 1 - rank % 2);
    grid.exchanges.push_back(exchange);
  }
  return grid;
}

}  // namespace plait::cg
