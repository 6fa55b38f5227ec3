// SPDX-License-Identifier: BSD-3-Clause
// Contiguous rows of a symmetric matrix, and what conjugate gradients need of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "matrix_market.hpp"

namespace plait::cg {

/// Rows in compressed row storage, with columns of the whole matrix.
struct MatrixRows {
  int first = 0;
  std::vector<std::int64_t> starts{0};
  std::vector<int> columns;  ///< ascending in each row
  std::vector<double> values;

  [[nodiscard]] int count() const { return static_cast<int>(starts.size()) - 1; }
};

/// @param entries  of the rows from `first` to `first` + `count` - 1, in any order
MatrixRows rows_of(const std::vector<MatrixEntry>& entries, int first, int count);

/// @throws Error if an entry is there twice, or the diagonal is not that of a positive definite
///         matrix
void check_rows(const std::string& path, const MatrixRows& rows);

/// @param transposed  the same rows of the transposed matrix
/// @throws Error if the matrix is not symmetric to within rounding
void check_symmetry(const std::string& path, const MatrixRows& rows, const MatrixRows& transposed);

}  // namespace plait::cg
