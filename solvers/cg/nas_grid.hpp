// SPDX-License-Identifier: BSD-3-Clause
// The process grid of the NAS CG benchmark: which part of the matrix a rank has, and with whom it
// exchanges which rows.
#pragma once

#include <vector>

namespace plait::cg {

/// Elements first to first + count - 1.
struct Span {
  int first = 0;
  int count = 0;
};

/// The exchange of partial sums with one rank of the same process row.
struct Exchange {
  int partner = 0;
  Span send;     ///< rows of w, relative to the first one of this rank
  Span receive;  ///< to be added
};

/// The matrix is distributed in blocks of rows and columns, and the vectors in blocks of columns. A
/// product gives partial sums of the rows (w). Exchanges add them up in the kept rows; these go to
/// the transpose partner, which has the same columns.
struct NasGrid {
  int process_rows = 1;
  int process_columns = 1;
  Span rows;     ///< of the matrix
  Span columns;  ///< of the matrix, and elements of the vectors
  Span kept;     ///< rows whose sums this rank sends to its transpose partner
  int transpose_partner = 0;
  std::vector<Exchange> exchanges;  ///< in order
};

/// Ranks that the grid accepts: powers of two. With an odd power, it has twice as many columns as
/// rows (NAS Parallel Benchmarks 1 to 3, CG).
bool is_power_of_two(int ranks);

/// @param size   rows and columns of the matrix
/// @param ranks  a power of two
NasGrid nas_grid(int size, int ranks, int rank);

}  // namespace plait::cg
