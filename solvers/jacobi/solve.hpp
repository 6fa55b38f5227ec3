// SPDX-License-Identifier: BSD-3-Clause
// One run: grid, fields, iteration, results.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "iteration.hpp"
#include "options.hpp"
#include "placement.hpp"
#include "plait/stepper.hpp"

namespace plait::jacobi {

/// All that is told of a run. Valid on rank 0; `unlike_reference` and `exit_code` on all ranks.
struct Result {
  Options options;  ///< as they were understood, a restart's grid and problem included
  Int3 ranks{};
  std::string map;
  int size = 1;
  std::string decomposition;  ///< CartesianGrid::report()

  Iteration iteration;
  std::string schedule;   ///< in use; "temporal" with temporal blocking
  bool deciding = false;  ///< whether automatic was still trying schedules
  std::string transport;
  std::string packing;
  std::string instruction_set;
  bool streaming = false;
  bool reads_source = false;
  int block_rows = 0;

  std::int64_t halo_bytes = 0;  ///< sent in one exchange, by all ranks
  std::int64_t largest_halo_bytes = 0;
  std::int64_t cross_node_bytes = 0;

  double copy_bytes_per_s = 0.0;  ///< 0: not measured
  std::optional<double> distance;
  std::uint64_t checksum = 0;
  std::int64_t unlike_reference = -1;  ///< cells; below 0: not compared

  std::optional<StepCosts> costs;
  std::vector<ScheduleCost> schedules;
  std::string explanation;
  std::vector<RankPlace> placement;

  [[nodiscard]] double cells() const;
  /// Updates a second; 0 when no step was made.
  [[nodiscard]] double updates_per_s() const;
  /// Memory traffic of an update that reads old values once (Stengel 2010, 1.3): they are read, new
  /// ones are written, and read before unless the stores stream; a right-hand side is read, too.
  /// Temporal blocking shares it among the sweeps of a pass.
  [[nodiscard]] double bytes_per_update() const;
  /// Updates a second at the measured copy bandwidth.
  [[nodiscard]] double bound_updates_per_s() const;
};

/// Solves. Collective over `comm`, whose rank 0 is rank 0 of MPI_COMM_WORLD.
/// @throws CollectiveError
Result solve(MPI_Comm comm, const Options& options);

}  // namespace plait::jacobi
