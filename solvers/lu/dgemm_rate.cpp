// SPDX-License-Identifier: BSD-3-Clause
// Measures the matrix product.
#include "dgemm_rate.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>

#include "blas.hpp"
#include "memory.hpp"
#include "problem.hpp"

namespace plait::lu {

double dgemm_flops_per_s() {
  constexpr int n = 2000;
  constexpr int turns = 5;
  const Problem problem({MatrixKind::random, "", 1, n});
  const BlockCyclic all(n + 1, 1, 0);
  Matrix a(n, all, all);
  Matrix c(n, all, all);
  a.fill(problem);
  c.fill(problem);
  std::array<double, turns> seconds{};
  for (double& turn : seconds) {
    const double start = MPI_Wtime();
    multiply_subtract(n, n, n, a.at(0, 0), a.stride, a.at(0, 0), a.stride, c.at(0, 0), c.stride);
    turn = MPI_Wtime() - start;
  }
  // The median: what disturbs this machine disturbs the factorization, too.
  std::nth_element(seconds.begin(), seconds.begin() + turns / 2, seconds.end());
  return 2.0 * n * n * n / seconds[turns / 2];
}

}  // namespace plait::lu
