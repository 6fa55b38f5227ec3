// SPDX-License-Identifier: BSD-3-Clause
// One run: grid, matrix, factorization, solution, check.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "factorization.hpp"
#include "grid.hpp"
#include "problem.hpp"

namespace plait::lu {

struct RunOptions {
  ProblemOptions problem;
  FactorizationOptions factorization;
  int process_rows = 1;     ///< P
  int process_columns = 1;  ///< Q
  RankOrder order = RankOrder::row_major;
  ScheduleKind schedule = ScheduleKind::mpi;
  double threshold = 16;  ///< the scaled residual must be below it
};

/// Valid on every rank.
struct Result {
  RunOptions options;
  double seconds = 0;  ///< factorization and back substitution, of the slowest rank
  double residual = 0;
  std::uint64_t checksum = 0;  ///< of the bits of x

  [[nodiscard]] double flops_per_s() const;
  [[nodiscard]] bool passed() const { return residual < options.threshold; }
};

/// Solves one system. Collective over `comm`, whose size is P x Q.
/// @throws CollectiveError if the node has not enough memory, a file cannot be used, or the matrix
///         is singular
Result solve(MPI_Comm comm, const RunOptions& options);

}  // namespace plait::lu
