// SPDX-License-Identifier: BSD-3-Clause
// The mapper's decisions in a run, below the report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plait::report {

/// Quality of an order of the processes.
struct MapScore {
  double time_s = 0;           ///< of one exchange, predicted with assumed costs
  std::int64_t cut_pairs = 0;  ///< neighbour pairs on different nodes
  friend bool operator==(const MapScore&, const MapScore&) = default;
};

/// The decision on one topology that the program requested from MPI.
struct MapDecision {
  std::string call;   ///< "MPI_Cart_create"
  std::string shape;  ///< "4x4x2"; a 'p' behind a periodic dimension
  int nodes = 0;
  std::int64_t pairs = 0;  ///< all neighbour pairs
  bool reordered = false;  ///< false: no better order was found
  MapScore before, after;
  int times = 1;  ///< how often the program requested it
};

/// The decisions of a run in the order of their files, equal ones merged. Skips lines that cannot
/// be read: a process may have been killed while it wrote one.
std::vector<MapDecision> read_map_decisions(const std::filesystem::path& run_dir);

/// A sentence for each of the first decisions and the number of the others; at most 80 columns.
std::vector<std::string> map_lines(const std::vector<MapDecision>& decisions);

}  // namespace plait::report
