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
#include "plait/stepper.hpp"

namespace plait::jacobi {

/// The place of a rank: its box, its host, and the CPU of each thread at the time of the call.
struct RankPlace {
  int rank = 0;
  std::string host;
  Int3 coordinates{};
  Box own;
  std::vector<int> cpus;  ///< of each OpenMP thread
};

/// All results of a run. Valid on rank 0; `unlike_reference` on all ranks.
struct Result {
  Options options;  ///< as used; a restart's grid and problem included
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
  std::int64_t unlike_reference = -1;  ///< cells that differ; below 0: not compared

  std::optional<StepCosts> costs;
  std::vector<ScheduleCost> schedules;
  std::string explanation;
  std::vector<RankPlace> placement;

  [[nodiscard]] double cells() const;
  /// Updates per second; 0 if no step was made.
  [[nodiscard]] double updates_per_s() const;
  /// Memory traffic of an update in bytes (Stengel 2010, 1.3): old values are read once, new ones
  /// are written, and read before that unless the stores are streaming. A right-hand side is read
  /// as well. With temporal blocking the sweeps of a pass share the traffic.
  [[nodiscard]] double bytes_per_update() const;
  /// Updates per second at the measured copy bandwidth.
  [[nodiscard]] double bound_updates_per_s() const;
};

/// Solves. Collective over `comm`, whose rank 0 is rank 0 of MPI_COMM_WORLD.
/// @throws CollectiveError on invalid options or files, or if memory is short
Result solve(MPI_Comm comm, const Options& options);

}  // namespace plait::jacobi
