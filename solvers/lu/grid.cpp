// SPDX-License-Identifier: BSD-3-Clause
// Creates the communicators of a process grid.
#include "grid.hpp"

namespace plait::lu {

ProcessGrid::ProcessGrid(MPI_Comm comm, int rows, int columns, RankOrder order)
    : all_(comm), rows_(rows), columns_(columns) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const bool by_row = order == RankOrder::row_major;
  my_row_ = by_row ? rank / columns : rank % rows;
  my_column_ = by_row ? rank % columns : rank / rows;
  MPI_Comm_split(comm, my_row_, my_column_, &row_);
  MPI_Comm_split(comm, my_column_, my_row_, &column_);
}

ProcessGrid::~ProcessGrid() {
  MPI_Comm_free(&row_);
  MPI_Comm_free(&column_);
}

}  // namespace plait::lu
