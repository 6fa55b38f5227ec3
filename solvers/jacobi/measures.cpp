// SPDX-License-Identifier: BSD-3-Clause
// Numbers that describe a distributed field, and the machine's copy bandwidth for such fields.
#include "measures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "plait/reduction.hpp"

namespace plait::jacobi {

std::uint64_t checksum(const CartesianGrid& grid, const Field<double>& field) {
  const Int3 n = field.own_cells();
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      const double* row = field.row(j, k);
      for (int i = 0; i < n[0]; ++i) sum += std::bit_cast<std::uint64_t>(row[i]);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, grid.comm());
  return sum;
}

double distance_from_solution(const CartesianGrid& grid, const Field<double>& field,
                              const Problem& problem) {
  const Int3 n = field.own_cells();
  const Int3 first = grid.own().first;
  double shift = 0.0;
  if (problem.up_to_a_constant()) {
    Field<double> solution(grid, 0);
    set_own(grid, solution, [&](int i, int j, int k) { return problem.solution(i, j, k); });
    const double cells = static_cast<double>(grid.cells()[0]) * grid.cells()[1] * grid.cells()[2];
    shift = (exact_sum(grid, field) - exact_sum(grid, solution)) / cells;
  }
  double largest = 0.0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      const double* row = field.row(j, k);
      for (int i = 0; i < n[0]; ++i) {
        const double exact = problem.solution(first[0] + i, first[1] + j, first[2] + k);
        largest = std::max(largest, std::abs(row[i] - shift - exact));
      }
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, grid.comm());
  return largest;
}

double copy_bandwidth(const CartesianGrid& grid, const Field<double>& from, Field<double>& to) {
  const Int3 n = from.own_cells();
  double best_s = 1e30;
  for (int repetition = 0; repetition < 4; ++repetition) {
    MPI_Barrier(grid.comm());
    const double start = MPI_Wtime();
#pragma omp parallel for schedule(static)
    for (int k = 0; k < n[2]; ++k) {
      for (int j = 0; j < n[1]; ++j) std::copy_n(from.row(j, k), n[0], to.row(j, k));
    }
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, grid.comm());
    if (repetition > 0) best_s = std::min(best_s, seconds);
  }
  const double cells = static_cast<double>(grid.cells()[0]) * grid.cells()[1] * grid.cells()[2];
  return 24.0 * cells / best_s;
}

}  // namespace plait::jacobi
