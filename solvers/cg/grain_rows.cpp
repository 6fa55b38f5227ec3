// SPDX-License-Identifier: BSD-3-Clause
// Measures the exchange between partners and products with grains of several sizes.
#include "grain_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "plait/grains.hpp"

namespace plait::cg {

std::vector<int> possible_grain_rows(MPI_Comm comm, const NasGrid& grid, int threads) {
  constexpr int kLeastGrains = 4, kMostRows = 65536;
  const int partner = grid.exchanges.empty() ? MPI_PROC_NULL : grid.exchanges.front().partner;
  const double bytes = grain_bytes(measure_exchange(comm, partner));
  int most = grid.kept.count, grains = std::max(kLeastGrains, 2 * threads);
  // Numbers of threads and rows may differ between ranks, but messages must fit.
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, &grains, 1, MPI_INT, MPI_MAX, comm);
  int rows = std::min(kMostRows, (most + grains - 1) / grains);
  if (bytes > 0) rows = std::min(rows, static_cast<int>(bytes / sizeof(double)));
  std::vector<int> sizes{std::max(rows, 1)};
  while (sizes.back() < most && sizes.back() <= kMostRows / 2) sizes.push_back(2 * sizes.back());
  return sizes;
}

int fastest_grain_rows(MPI_Comm comm, NasProduct& product, const std::vector<int>& sizes,
                       int grains_before) {
  constexpr int kTurns = 3, kProducts = 3;
  constexpr double kClearly = 0.97;
  const auto columns = static_cast<std::size_t>(product.matrix().columns());
  const std::vector<double> p(columns, 1.0);
  std::vector<double> q(columns), best(sizes.size(), std::numeric_limits<double>::max());
  for (int turn = 0; turn < kTurns; ++turn) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      product.set_grains(sizes[i], grains_before);
      product.multiply(p.data(), q.data());  // its times say how many grains come first
      MPI_Barrier(comm);
      const double start = MPI_Wtime();
      for (int k = 0; k < kProducts; ++k) product.multiply(p.data(), q.data());
      best[i] = std::min(best[i], MPI_Wtime() - start);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, best.data(), static_cast<int>(best.size()), MPI_DOUBLE, MPI_MAX,
                comm);
  std::size_t chosen = sizes.size() - 1;
  for (std::size_t i = chosen; i-- > 0;) {
    if (best[i] < kClearly * best[chosen]) chosen = i;
  }
  return sizes[chosen];
}

}  // namespace plait::cg
