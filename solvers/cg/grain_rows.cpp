// SPDX-License-Identifier: BSD-3-Clause
// Measures the exchange between partners, and derives the rows of a grain.
#include "grain_rows.hpp"

#include <algorithm>

#include "plait/grains.hpp"

namespace plait::cg {

int choose_grain_rows(MPI_Comm comm, const NasGrid& grid, int threads) {
  constexpr int kLeastGrains = 4, kMostRows = 65536;
  const int partner = grid.exchanges.empty() ? MPI_PROC_NULL : grid.exchanges.front().partner;
  const double bytes = grain_bytes(measure_exchange(comm, partner));
  const int grains = std::max(kLeastGrains, 2 * threads);
  int rows = std::min(kMostRows, (grid.kept.count + grains - 1) / grains);
  if (bytes > 0) rows = std::min(rows, static_cast<int>(bytes / sizeof(double)));
  rows = std::max(rows, 1);
  // Numbers of threads and rows may differ between ranks, but messages must fit.
  MPI_Bcast(&rows, 1, MPI_INT, 0, comm);
  return rows;
}

}  // namespace plait::cg
