// SPDX-License-Identifier: BSD-3-Clause
// Measures the matrix product.
#include "dgemm_rate.hpp"

#include <mpi.h>

#include <algorithm>

#include "blas.hpp"
#include "memory.hpp"
#include "problem.hpp"

namespace plait::lu {

double dgemm_flops_per_s() {
  constexpr int n = 2000;
  constexpr int turns = 3;
  const Problem problem({MatrixKind::random, "", 1, n});
  const BlockCyclic all(n + 1, 1, 0);
  Matrix a(n, all, all);
  Matrix c(n, all, all);
  a.fill(problem);
  c.fill(problem);
  double best_s = 0;
  for (int turn = 0; turn < turns; ++turn) {
    const double start = MPI_Wtime();
    multiply_subtract(n, n, n, a.at(0, 0), a.stride, a.at(0, 0), a.stride, c.at(0, 0), c.stride);
    const double seconds = MPI_Wtime() - start;
    best_s = turn == 0 ? seconds : std::min(best_s, seconds);
  }
  return 2.0 * n * n * n / best_s;
}

}  // namespace plait::lu
