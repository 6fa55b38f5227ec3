// SPDX-License-Identifier: BSD-3-Clause
// The linear system: entries that do not depend on the process grid, and this rank's part of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "block_cyclic.hpp"
#include "memory.hpp"

namespace plait::lu {

/// The kind of system to solve.
enum class MatrixKind {
  random,    ///< uniform in [-0.5, 0.5), as HPL's
  dominant,  ///< the same with N added to each diagonal entry
  file,      ///< columns of A, then b, as raw doubles
};

struct ProblemOptions {
  MatrixKind kind = MatrixKind::random;
  std::string file;
  std::uint64_t seed = 1;
  int size = 0;
};

/// The N x (N + 1) matrix [A | b].
class Problem {
public:
  /// Opens the file, if there is one. @throws Error if it cannot be read or has another size
  explicit Problem(ProblemOptions options);

  [[nodiscard]] int size() const { return options_.size; }

  /// Writes the entries of one column, rows first to last - 1, to `values`.
  /// @throws Error if a file has an entry that is not finite
  void column(int column, Range rows, double* values) const;

private:
  struct File;
  ProblemOptions options_;
  std::shared_ptr<const File> file_;
};

/// The distribution of [A | b] and this rank's part, stored by columns.
struct Matrix {
  BlockCyclic rows;
  BlockCyclic columns;
  int size;  ///< N
  int local_rows;
  int local_columns;  ///< of A and b
  int stride;         ///< distance of two columns
  Memory memory;

  /// @throws std::bad_alloc
  Matrix(int size, const BlockCyclic& rows, const BlockCyclic& columns);
  [[nodiscard]] double* at(int row, int column) {
    return memory.data() + row + static_cast<std::ptrdiff_t>(column) * stride;
  }
  /// Sets all entries with all OpenMP threads. @throws Error as Problem::column
  void fill(const Problem& problem);
};

/// Doubles that a Matrix takes.
double matrix_doubles(int size, const BlockCyclic& rows, const BlockCyclic& columns);

}  // namespace plait::lu
