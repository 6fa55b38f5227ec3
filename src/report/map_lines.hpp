// SPDX-License-Identifier: BSD-3-Clause
// What the mapper did in a run, below the report: lines of at most 80 columns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plait::report {

/// Which processes become neighbours of which, on which nodes; before or after.
struct MapScore {
  double time_s = 0;           ///< of one exchange, predicted with assumed costs
  std::int64_t cut_pairs = 0;  ///< neighbour pairs on different nodes
  friend bool operator==(const MapScore&, const MapScore&) = default;
};

/// What was decided for one topology that the program asked MPI for.
struct MapDecision {
  std::string call;   ///< "MPI_Cart_create"
  std::string shape;  ///< "4x4x2"; a 'p' behind a periodic dimension
  int nodes = 0;
  std::int64_t pairs = 0;  ///< all neighbour pairs
  bool reordered = false;  ///< false: nothing was to be gained
  MapScore before, after;
  int times = 1;  ///< that the program asked for it
};

/// The decisions of a run, equal ones together, in the order of their files. Lines that cannot be
/// read are left out: a process may have been killed while it wrote one.
std::vector<MapDecision> read_map_decisions(const std::filesystem::path& run_dir);

/// A sentence for each of the first decisions, and how many more there are.
std::vector<std::string> map_lines(const std::vector<MapDecision>& decisions);

}  // namespace plait::report
