// SPDX-License-Identifier: BSD-3-Clause
// Solves with the factors, block by block from the last, and checks the solution.
#include "solution.hpp"

#include <algorithm>
#include <cmath>

#include "blas.hpp"

namespace plait::lu {

std::vector<double> back_substitute(const ProcessGrid& grid, Matrix& matrix, int block) {
  const int size = matrix.size;
  // The right-hand side is the sum of these vectors over the ranks of a process row.
  std::vector<double> own(static_cast<std::size_t>(matrix.local_rows), 0.0);
  if (matrix.columns.owns(size)) {
    std::copy_n(matrix.at(0, matrix.columns.below(size)), matrix.local_rows, own.data());
  }
  std::vector<double> x(static_cast<std::size_t>(size), 0.0);
  std::vector<double> parts(static_cast<std::size_t>(block) *
                            static_cast<std::size_t>(grid.columns()));
  for (int first = (size - 1) / block * block; first >= 0; first -= block) {
    const int width = std::min(block, size - first);
    const int root_row = matrix.rows.owner(first);
    const int root_column = matrix.columns.owner(first);
    const int row = matrix.rows.below(first);
    const int column = matrix.columns.below(first);
    double* values = x.data() + first;
    if (grid.my_row() == root_row) {
      MPI_Gather(own.data() + row, width, MPI_DOUBLE, parts.data(), width, MPI_DOUBLE, root_column,
                 grid.row());
      if (grid.my_column() == root_column) {
        for (int i = 0; i < width * grid.columns(); ++i) {
          values[i % width] += parts[static_cast<std::size_t>(i)];
        }
        solve_upper(width, matrix.at(row, column), matrix.stride, values);
      }
    }
    if (grid.my_column() != root_column) continue;
    MPI_Bcast(values, width, MPI_DOUBLE, root_row, grid.column());
    multiply_subtract(row, width, matrix.at(0, column), matrix.stride, values, own.data());
  }
  // Each rank has the blocks of its process column, and zeros elsewhere.
  MPI_Allreduce(MPI_IN_PLACE, x.data(), size, MPI_DOUBLE, MPI_SUM, grid.row());
  return x;
}

double scaled_residual(const ProcessGrid& grid, Matrix& matrix, const std::vector<double>& x) {
  const auto rows = static_cast<std::size_t>(matrix.local_rows);
  // For each own row: the residual, the sum of magnitudes of A, and b.
  std::vector<double> sums(3 * rows, 0.0);
  for (int column = 0; column < matrix.local_columns; ++column) {
    const int global = matrix.columns.global(column);
    const double* values = matrix.at(0, column);
    const bool is_b = global == matrix.size;
    const double factor = is_b ? -1 : x[static_cast<std::size_t>(global)];
    double* magnitudes = sums.data() + (is_b ? 2 : 1) * rows;
    for (std::size_t row = 0; row < rows; ++row) {
      sums[row] += values[row] * factor;
      magnitudes[row] += std::fabs(values[row]);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM,
                grid.row());
  double norms[3]{};
  for (std::size_t i = 0; i < sums.size(); ++i) {
    // Unlike std::max, this keeps NaN.
    double& norm = norms[i / rows];
    if (!(std::fabs(sums[i]) <= norm)) norm = std::fabs(sums[i]);
    if (std::isnan(norm)) break;
  }
  MPI_Allreduce(MPI_IN_PLACE, norms, 3, MPI_DOUBLE, MPI_MAX, grid.column());
  double norm_x = 0;
  for (const double value : x) {
    if (!std::isfinite(value)) return std::nan("");
    norm_x = std::max(norm_x, std::fabs(value));
  }
  if (norms[0] == 0) return 0;
  return norms[0] / (0x1p-53 * (norms[1] * norm_x + norms[2]) * matrix.size);
}

}  // namespace plait::lu
