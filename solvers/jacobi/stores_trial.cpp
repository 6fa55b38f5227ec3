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
/// A last cache may be shared with what cannot be seen from here, as other virtual machines: what
/// takes more than this part of it may already be in memory.
constexpr int sure_part_of_cache = 4;

void sweep(const JacobiKernel& kernel, Fields& fields) {
  const Box own = fields.now.own();
#pragma omp parallel
  {
    // Whole planes, as a schedule without blocks would share them out.
    Box part = own;
    part.first[2] = own.last[2] * omp_get_thread_num() / omp_get_num_threads();
    part.last[2] = own.last[2] * (omp_get_thread_num() + 1) / omp_get_num_threads();
    kernel(fields.now, fields.next, part, fields.source_or_null());
  }
}

}  // namespace

Stores faster_stores(const CartesianGrid& grid, const Options& options,
                     const JacobiKernel& automatic, Fields& fields) {
  const int ranks = ranks_on_this_node(grid);
  // What the kernel takes by size when only the sure part of the cache is there.
  const JacobiKernel careful(grid.own_cells(), options.threads, sure_part_of_cache * ranks);
  int doubtful = careful.streaming() && options.steps >= fewest_steps ? 1 : 0;
  // Boxes differ in size by a layer: all ranks try as soon as one outgrows that part.
  MPI_Allreduce(MPI_IN_PLACE, &doubtful, 1, MPI_INT, MPI_MAX, grid.comm());
  if (doubtful == 0) return automatic.streaming() ? Stores::streaming : Stores::cached;
  const std::array<JacobiKernel, 2> kernels{
      JacobiKernel(grid.own_cells(), options.threads, ranks, Stores::cached),
      JacobiKernel(grid.own_cells(), options.threads, ranks, Stores::streaming)};
  std::array<double, 2> best_s{1e30, 1e30};
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t kind = 0; kind < 2; ++kind) {
      // What the other kind has left in a cache, or has not, is of no account.
      if (!automatic.streaming()) sweep(kernels[kind], fields);
      MPI_Barrier(grid.comm());
      const double start = MPI_Wtime();
      sweep(kernels[kind], fields);
      const double seconds = MPI_Wtime() - start;
      if (repetition > 0) best_s[kind] = std::min(best_s[kind], seconds);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, best_s.data(), 2, MPI_DOUBLE, MPI_SUM, grid.comm());
  return best_s[1] < best_s[0] ? Stores::streaming : Stores::cached;
}

}  // namespace plait::jacobi
