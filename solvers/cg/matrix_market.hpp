// SPDX-License-Identifier: BSD-3-Clause
// Reads symmetric matrices and vectors in the Matrix Market format.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plait::cg {

/// A symmetric matrix in compressed row storage, with both of each pair of entries.
struct SymmetricMatrix {
  std::vector<std::int64_t> starts{0};
  std::vector<int> columns;  ///< ascending in each row
  std::vector<double> values;

  [[nodiscard]] int size() const { return static_cast<int>(starts.size()) - 1; }
};

/// Reads a matrix in coordinate format: real, integer or pattern (ones), symmetric or general.
/// @throws Error that names the file, and the line if there is one: not such a file, damaged,
///         truncated, an entry twice or not finite, not square, not symmetric, or a diagonal that a
///         positive definite matrix cannot have
SymmetricMatrix read_matrix_market(const std::string& path);

/// Reads numbers in lines of their own, or a Matrix Market array of one column.
/// @param size  numbers that the file must have
/// @throws Error as read_matrix_market()
std::vector<double> read_vector(const std::string& path, int size);

}  // namespace plait::cg
