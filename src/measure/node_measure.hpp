// SPDX-License-Identifier: BSD-3-Clause
// Measures messages between nodes and within them, collectives, and whether messages move while
// programs compute.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure/measure.hpp"
#include "measure/mpi_part.hpp"

namespace plait::measure {

/// What a user asks for.
struct NodesRequest {
  std::vector<std::string> nodes;  ///< as the launcher knows them
  double seconds = 120;            ///< for all runs together
  bool quick = false;
  int per_node = 0;                           ///< ranks on each node; 0: a rank on each core
  std::vector<std::string> launcher_options;  ///< words for the launcher
  std::string mpi;                            ///< launcher or prefix; empty: found in PATH
  std::filesystem::path folder;               ///< that all nodes see, for plans and results
  /// Makes a launcher's command start on these nodes; empty: it does by itself.
  std::function<ProbeStart(const ProbeStart&)> adapt;
};

/// Measures and puts the figures into the file, in place of older ones of the same kinds. When a
/// run fails, says so in the warnings and keeps what it has.
/// @throws Error when there is no MPI, or the nodes cannot be reached at all.
void measure_nodes(const NodesRequest& request, MeasureOutcome& outcome);

}  // namespace plait::measure
