// SPDX-License-Identifier: BSD-3-Clause
// Factors a block column: recursive, with one reduction per column for pivot and rows.
#include "panel_factorization.hpp"

#include <algorithm>
#include <cmath>

#include "blas.hpp"

namespace plait::lu {
namespace {

/// Columns that are factored one by one at the end of the recursion.
constexpr int kFewColumns = 8;

/// What each rank contributes to the choice of a pivot is an array: the magnitude, the global row,
/// the process row, and 1 if the row of the diagonal is filled; then the candidate's row of the
/// panel, and the row of the diagonal, which only its owner fills.
constexpr int kHead = 4;
constexpr double kNotANumber = -1;  ///< a magnitude below all others
constexpr double kNoRow = -2;

/// Keeps the candidate of larger magnitude (of equal ones, the uppermost) and the diagonal's row.
void keep_larger(void* from, void* into, int* count, MPI_Datatype* type) {
  int bytes = 0;
  MPI_Type_size(*type, &bytes);
  const int length = bytes / static_cast<int>(sizeof(double));
  const int width = (length - kHead) / 2;
  for (int item = 0; item < *count; ++item) {
    const double* a = static_cast<const double*>(from) + std::ptrdiff_t{item} * length;
    double* b = static_cast<double*>(into) + std::ptrdiff_t{item} * length;
    if (a[0] > b[0] || (a[0] == b[0] && a[1] < b[1])) {
      std::copy_n(a, 3, b);
      std::copy_n(a + kHead, width, b + kHead);
    }
    if (a[3] != 0) {
      b[3] = a[3];
      std::copy_n(a + kHead + width, width, b + kHead + width);
    }
  }
}

}  // namespace

struct PanelFactorization::Work {
  const Matrix& matrix;
  Panel& panel;
  double* l;      ///< own rows
  int rows;       ///< of l
  double* d;      ///< the diagonal block
  int width;      ///< of the panel
  bool diagonal;  ///< whether this process row owns the diagonal block
  MPI_Datatype type = MPI_DATATYPE_NULL;

  /// The first row that is not yet a pivot row.
  [[nodiscard]] int active(int column) const { return diagonal ? std::min(column, rows) : 0; }
  [[nodiscard]] double* lower(int row, int column) const {
    return l + row + static_cast<std::ptrdiff_t>(column) * rows;
  }
  [[nodiscard]] double* top(int row, int column) const {
    return d + row + static_cast<std::ptrdiff_t>(column) * width;
  }
};

PanelFactorization::PanelFactorization(const ProcessGrid& grid, Pivoting pivoting, int block)
    : grid_(grid),
      pivoting_(pivoting),
      mine_(static_cast<std::size_t>(kHead + 2 * block)),
      chosen_(mine_.size()) {
  MPI_Op_create(&keep_larger, 1, &larger_);
}

PanelFactorization::~PanelFactorization() {
  MPI_Op_free(&larger_);
}

void PanelFactorization::factor(Matrix& matrix, Panel& panel) {
  const int width = panel.width();
  const int first_column = matrix.columns.below(panel.first());
  Work work{matrix,
            panel,
            panel.lower(),
            panel.rows(),
            panel.diagonal(),
            width,
            matrix.rows.owns(panel.first())};
  for (int j = 0; j < width; ++j) {
    std::copy_n(matrix.at(panel.first_row(), first_column + j), work.rows, work.lower(0, j));
    panel.pivots()[j] = panel.first() + j;
  }
  panel.zero_column() = -1;
  if (pivoting_ == Pivoting::none) {
    factor_diagonal(work);
    const int below = work.active(width);
    solve_upper_from_right(work.rows - below, width, work.d, width, work.lower(below, 0),
                           work.rows);
  } else {
    MPI_Type_contiguous(kHead + 2 * width, MPI_DOUBLE, &work.type);
    MPI_Type_commit(&work.type);
    factor_columns(work, 0, width);
    MPI_Type_free(&work.type);
  }
  if (!work.diagonal) return;
  for (int j = 0; j < width; ++j) {
    std::copy_n(work.top(0, j), j + 1, matrix.at(panel.first_row(), first_column + j));
  }
}

/// Factors columns whose earlier columns have been applied to them.
void PanelFactorization::factor_columns(Work& work, int first, int count) {
  const int last = first + count;
  if (count <= kFewColumns) {
    for (int j = first; j < last; ++j) {
      choose_pivot(work, j);
      const double pivot = *work.top(j, j);
      if (pivot == 0) {
        if (work.panel.zero_column() < 0) work.panel.zero_column() = work.panel.first() + j;
        continue;
      }
      const int below = work.active(j + 1);
      double* column = work.lower(0, j);
      for (int i = below; i < work.rows; ++i) column[i] /= pivot;
      rank_one_subtract(work.rows - below, last - j - 1, column + below, work.top(j, j + 1),
                        work.width, work.lower(below, j + 1), work.rows);
    }
    return;
  }
  const int left = (count / 2 + kFewColumns - 1) / kFewColumns * kFewColumns;
  const int right = first + left;
  factor_columns(work, first, left);
  solve_unit_lower(left, count - left, work.top(first, first), work.width, work.top(first, right),
                   work.width);
  const int below = work.active(right);
  multiply_subtract(work.rows - below, count - left, left, work.lower(below, first), work.rows,
                    work.top(first, right), work.width, work.lower(below, right), work.rows);
  factor_columns(work, right, count - left);
}

/// Finds the pivot of a column, moves its row to the diagonal block on all ranks of the process
/// column, and the diagonal's row to its place.
void PanelFactorization::choose_pivot(Work& work, int column) {
  const int width = work.width;
  const int active = work.active(column);
  const double* values = work.lower(0, column);
  double largest = kNotANumber;
#pragma omp simd reduction(max : largest)
  for (int i = active; i < work.rows; ++i) largest = std::max(largest, std::fabs(values[i]));
  int row = active;
  while (row < work.rows && std::fabs(values[row]) != largest) ++row;
  double* mine = mine_.data();
  mine[0] = row < work.rows ? largest : active < work.rows ? kNotANumber : kNoRow;
  mine[2] = grid_.my_row();
  mine[3] = work.diagonal ? 1 : 0;
  if (active < work.rows) {
    if (row == work.rows) row = active;
    mine[1] = work.matrix.rows.global(work.panel.first_row() + row);
    for (int j = 0; j < width; ++j) mine[kHead + j] = *work.lower(row, j);
  }
  if (work.diagonal) {
    for (int j = 0; j < width; ++j) mine[kHead + width + j] = *work.lower(column, j);
  }
  if (grid_.rows() > 1) {
    MPI_Allreduce(mine, chosen_.data(), 1, work.type, larger_, grid_.column());
  } else {
    chosen_.swap(mine_);
  }
  exchange_rows(work, column);
}

void PanelFactorization::exchange_rows(Work& work, int column) {
  const int width = work.width;
  const double* chosen = chosen_.data();
  const int pivot = static_cast<int>(chosen[1]);
  work.panel.pivots()[column] = pivot;
  for (int j = 0; j < width; ++j) *work.top(column, j) = chosen[kHead + j];
  if (static_cast<int>(chosen[2]) != grid_.my_row()) return;
  const int row = work.matrix.rows.below(pivot) - work.panel.first_row();
  for (int j = 0; j < width; ++j) *work.lower(row, j) = chosen[kHead + width + j];
}

/// Factors the diagonal block without pivoting on the rank that has it, and sends it to the others.
void PanelFactorization::factor_diagonal(Work& work) const {
  const int width = work.width;
  if (work.diagonal) {
    for (int j = 0; j < width; ++j) std::copy_n(work.lower(0, j), width, work.top(0, j));
    for (int j = 0; j < width; ++j) {
      const double pivot = *work.top(j, j);
      if (pivot == 0) {
        work.panel.zero_column() = work.panel.first() + j;
        break;
      }
      for (int i = j + 1; i < width; ++i) *work.top(i, j) /= pivot;
      rank_one_subtract(width - j - 1, width - j - 1, work.top(j + 1, j), work.top(j, j + 1), width,
                        work.top(j + 1, j + 1), width);
    }
  }
  if (grid_.rows() == 1) return;
  const int root = work.matrix.rows.owner(work.panel.first());
  const auto count = static_cast<int>(work.panel.pivots() + width + 1 - work.d);
  MPI_Bcast(work.d, count, MPI_DOUBLE, root, grid_.column());
}

}  // namespace plait::lu
