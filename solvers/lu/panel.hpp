// SPDX-License-Identifier: BSD-3-Clause
// A factored block column, as it is broadcast along the process rows.
#pragma once

#include <cstddef>

#include "memory.hpp"
#include "problem.hpp"

namespace plait::lu {

/// The triangular factors of the diagonal block, the pivots, and this process row's part of L.
/// All of it is contiguous. The first rows of the process row that owns the diagonal block are
/// those of that block, and have no meaning.
class Panel {
public:
  Panel() = default;
  /// @param most_rows  local rows of the matrix
  /// @throws std::bad_alloc
  Panel(int most_rows, int block) : memory_(Memory::of_zeros(doubles(most_rows, block))) {}
  static std::size_t doubles(int most_rows, int block) {
    return header(block) + static_cast<std::size_t>(most_rows) * static_cast<std::size_t>(block);
  }

  /// Starts the panel at a global column. Columns of A only: the last panel ends with A.
  void place(const Matrix& matrix, int block, int first_column) {
    first_ = first_column;
    width_ = std::min(block, matrix.size - first_column);
    first_row_ = matrix.rows.below(first_column);
    rows_ = matrix.local_rows - first_row_;
  }

  [[nodiscard]] int first() const { return first_; }
  [[nodiscard]] int end() const { return first_ + width_; }
  [[nodiscard]] int width() const { return width_; }
  /// The local row of the matrix that lower() begins with, and the number of rows.
  [[nodiscard]] int first_row() const { return first_row_; }
  [[nodiscard]] int rows() const { return rows_; }

  /// L below and U above the diagonal, with columns of width() entries.
  [[nodiscard]] double* diagonal() { return memory_.data(); }
  [[nodiscard]] const double* diagonal() const { return memory_.data(); }
  /// The global row that each row of the diagonal block was exchanged with.
  [[nodiscard]] double* pivots() { return diagonal() + square(width_); }
  [[nodiscard]] const double* pivots() const { return diagonal() + square(width_); }
  /// The global column without a pivot, or -1.
  [[nodiscard]] double& zero_column() { return pivots()[width_]; }
  /// The rows of L, with columns of rows() entries.
  [[nodiscard]] double* lower() { return memory_.data() + header(width_); }
  [[nodiscard]] const double* lower() const { return memory_.data() + header(width_); }

  [[nodiscard]] std::size_t count() const { return doubles(rows_, width_); }

private:
  static std::size_t square(int width) {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(width);
  }
  static std::size_t header(int width) {
    return whole_lines(square(width) + static_cast<std::size_t>(width) + 1);
  }

  Memory memory_;
  int first_ = 0;
  int width_ = 0;
  int first_row_ = 0;
  int rows_ = 0;
};

}  // namespace plait::lu
