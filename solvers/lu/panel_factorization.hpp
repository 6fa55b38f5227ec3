// SPDX-License-Identifier: BSD-3-Clause
// Factors a block column within its process column, with or without partial pivoting.
#pragma once

#include <mpi.h>

#include <vector>

#include "grid.hpp"
#include "panel.hpp"
#include "problem.hpp"

namespace plait::lu {

/// The choice of pivots.
enum class Pivoting {
  partial,  ///< the entry of largest magnitude in the column; of equal ones, the uppermost
  none,     ///< the diagonal: for diagonally dominant matrices, as in Viet et al. 2005
};

/// Not copyable. Used by one thread at a time.
class PanelFactorization {
public:
  PanelFactorization(const ProcessGrid& grid, Pivoting pivoting, int block);
  ~PanelFactorization();
  PanelFactorization(const PanelFactorization&) = delete;
  PanelFactorization& operator=(const PanelFactorization&) = delete;

  /// Factors the columns of a placed panel, and writes the diagonal block of U to the matrix.
  /// Collective over the process column that owns the panel; the others do not call it.
  void factor(Matrix& matrix, Panel& panel);

private:
  struct Work;
  void factor_columns(Work& work, int first, int count);
  void choose_pivot(Work& work, int column);
  void exchange_rows(Work& work, int column);
  void factor_diagonal(Work& work) const;

  const ProcessGrid& grid_;
  Pivoting pivoting_;
  MPI_Op larger_ = MPI_OP_NULL;
  std::vector<double> mine_, chosen_;
};

}  // namespace plait::lu
