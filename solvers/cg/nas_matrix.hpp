// SPDX-License-Identifier: BSD-3-Clause
// The problems of the NAS CG benchmark and the entries of their matrices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nas_grid.hpp"

namespace plait::cg {

/// A class of the benchmark (NAS Technical Reports 95-020 and 02-007).
struct NasClass {
  char name = 'S';
  int size = 0;        ///< rows and columns
  int nonzeros = 0;    ///< of each random vector
  double shift = 0;    ///< of the eigenvalues
  int iterations = 0;  ///< of the inverse power method
  double zeta = 0;     ///< the result to which that of a run is compared

  /// Operations of the timed part, as the benchmark counts them.
  [[nodiscard]] double operations() const;
  /// Entries of the matrix before those at the same place are added up: an upper bound.
  [[nodiscard]] double most_entries() const;
};

/// @throws Error that lists the classes
NasClass nas_class(const std::string& name);

/// Rows of a matrix in compressed row storage.
struct LocalRows {
  std::vector<std::int64_t> starts;
  std::vector<int> columns;  ///< ascending in each row, relative to the first one
  std::vector<double> values;
};

/// The entries of the class's matrix in a block of rows and columns. Every rank generates the
/// random vectors of which the matrix is the sum of outer products, and keeps what it needs of
/// them. Uses OpenMP. Local.
LocalRows nas_matrix(const NasClass& problem, const Span& rows, const Span& columns, int threads);

}  // namespace plait::cg
