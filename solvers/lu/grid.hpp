// SPDX-License-Identifier: BSD-3-Clause
// The P x Q process grid with communicators for its rows and columns.
#pragma once

#include <mpi.h>

namespace plait::lu {

/// Which ranks are neighbors in a process column or row (HPL.dat's PMAP).
enum class RankOrder { row_major, column_major };

/// The place of a rank in the grid. Not copyable.
class ProcessGrid {
public:
  /// Collective over `comm`, whose size is rows x columns.
  ProcessGrid(MPI_Comm comm, int rows, int columns, RankOrder order);
  ~ProcessGrid();
  ProcessGrid(const ProcessGrid&) = delete;
  ProcessGrid& operator=(const ProcessGrid&) = delete;

  [[nodiscard]] MPI_Comm all() const { return all_; }
  /// The ranks of my process row; a rank's number is its process column.
  [[nodiscard]] MPI_Comm row() const { return row_; }
  /// The ranks of my process column; a rank's number is its process row.
  [[nodiscard]] MPI_Comm column() const { return column_; }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int my_row() const { return my_row_; }
  [[nodiscard]] int my_column() const { return my_column_; }

private:
  MPI_Comm all_;
  MPI_Comm row_ = MPI_COMM_NULL;
  MPI_Comm column_ = MPI_COMM_NULL;
  int rows_;
  int columns_;
  int my_row_;
  int my_column_;
};

}  // namespace plait::lu
