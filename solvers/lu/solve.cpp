// SPDX-License-Identifier: BSD-3-Clause
// Solves one system: checks the memory, times the solution, and computes the residual.
#include "solve.hpp"

#include <omp.h>

#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "node_memory.hpp"
#include "plait/environment.hpp"
#include "solution.hpp"

namespace plait::lu {
namespace {

void check_memory(const ProcessGrid& grid, const RunOptions& options, const BlockCyclic& rows,
                  const BlockCyclic& columns) {
  const int size = options.problem.size;
  const int block = options.factorization.block;
  const double own =
      sizeof(double) *
      (matrix_doubles(size, rows, columns) +
       Factorization::doubles(rows.below(size), columns.below(size + 1), grid.rows(), block));
  const std::string input = "N = " + std::to_string(size);
  check_node_memory(grid.all(), input, own, "use a smaller N or more nodes");
  agreed(grid.all(), input, [&] {
    const double longest = static_cast<double>(block) * (size + 1.0) + 2.0 * block * block;
    if (longest > std::numeric_limits<int>::max()) {
      throw Error(input, "messages would have more than 2^31 numbers", "use a smaller block size");
    }
  });
}

std::uint64_t checksum_of(const std::vector<double>& x) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a, by 64 bits
  for (const double value : x) hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3U;
  return hash ^ (hash >> 32);
}

}  // namespace

double Result::flops_per_s() const {
  const double n = options.problem.size;
  return (2.0 / 3.0 * n + 1.5) * n * n / seconds;  // as HPL counts
}

Result solve(MPI_Comm comm, const RunOptions& options) {
  // No idle threads beside one thread per rank, not even those that have filled the matrix.
  const bool one = options.schedule == ScheduleKind::mpi;
  omp_set_num_threads(one ? 1 : options.factorization.threads);
  const ProcessGrid grid(comm, options.process_rows, options.process_columns, options.order);
  const int size = options.problem.size;
  const int block = options.factorization.block;
  const BlockCyclic rows(block, grid.rows(), grid.my_row());
  const BlockCyclic columns(block, grid.columns(), grid.my_column());
  check_memory(grid, options, rows, columns);

  std::optional<Problem> problem;
  std::optional<Matrix> matrix;
  std::optional<Factorization> factorization;
  agreed(comm, "matrix", [&] {
    problem.emplace(options.problem);
    matrix.emplace(size, rows, columns);
    factorization.emplace(grid, *matrix, options.factorization);
    matrix->fill(*problem);
  });

  Result result;
  result.options = options;
  MPI_Barrier(comm);
  const double start = MPI_Wtime();
  factorization->run(options.schedule);
  const std::vector<double> x = back_substitute(grid, *matrix, block);
  result.seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &result.seconds, 1, MPI_DOUBLE, MPI_MAX, comm);

  factorization.reset();
  matrix->fill(*problem);
  result.residual = scaled_residual(grid, *matrix, x);
  result.checksum = checksum_of(x);
  return result;
}

}  // namespace plait::lu
