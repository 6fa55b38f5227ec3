// SPDX-License-Identifier: BSD-3-Clause
// Which kind of stores is faster here, found by trying both where neither is so for certain.
#include "stores_trial.hpp"

#include <omp.h>

#include <algorithm>
#include <array>

#include "sweeps.hpp"

namespace plait::jacobi {
namespace {

constexpr int fewest_steps = 50;
constexpr int repetitions = 3;  // the first warms up

double seconds_of_sweep(const JacobiKernel& kernel, Fields& fields) {
  const Box own = fields.now.own();
  const double start = MPI_Wtime();
#pragma omp parallel
  {
    // Whole planes, as a schedule without blocks would share them out.
    Box part = own;
    part.first[2] = own.last[2] * omp_get_thread_num() / omp_get_num_threads();
    part.last[2] = own.last[2] * (omp_get_thread_num() + 1) / omp_get_num_threads();
    kernel(fields.now, fields.next, part, fields.source_or_null());
  }
  return MPI_Wtime() - start;
}

}  // namespace

Stores faster_stores(const CartesianGrid& grid, const Options& options,
                     const JacobiKernel& automatic, Fields& fields) {
  int doubtful = automatic.streaming() && options.steps >= fewest_steps ? 1 : 0;
  // Boxes differ in size by a layer: all ranks try as soon as one outgrows its caches.
  MPI_Allreduce(MPI_IN_PLACE, &doubtful, 1, MPI_INT, MPI_MAX, grid.comm());
  if (doubtful == 0) return automatic.streaming() ? Stores::streaming : Stores::cached;
  const int ranks = ranks_on_this_node(grid);
  const std::array<JacobiKernel, 2> kernels{
      JacobiKernel(grid.own_cells(), options.threads, ranks, Stores::cached),
      JacobiKernel(grid.own_cells(), options.threads, ranks, Stores::streaming)};
  std::array<double, 2> best_s{1e30, 1e30};
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t kind = 0; kind < 2; ++kind) {
      MPI_Barrier(grid.comm());
      const double seconds = seconds_of_sweep(kernels[kind], fields);
      if (repetition > 0) best_s[kind] = std::min(best_s[kind], seconds);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, best_s.data(), 2, MPI_DOUBLE, MPI_SUM, grid.comm());
  return best_s[1] < best_s[0] ? Stores::streaming : Stores::cached;
}

}  // namespace plait::jacobi
