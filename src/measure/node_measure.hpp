// SPDX-License-Identifier: BSD-3-Clause
// Measures messages between and within nodes, collectives, and whether messages move during
// computation.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "measure/measure.hpp"
#include "measure/mpi_part.hpp"
#include "measure/node_plan.hpp"

namespace plait::measure {

/// The options of a measurement on several nodes.
struct NodesRequest {
  std::vector<std::string> nodes;  ///< names for the launcher
  double seconds = 120;            ///< for all runs
  bool quick = false;
  int per_node = 0;                           ///< ranks per node; 0: one per core
  std::vector<std::string> launcher_options;  ///< additional launcher options
  std::string mpi;                            ///< launcher or prefix; empty: search PATH
  std::filesystem::path folder;               ///< shared by all nodes, for plans and results
  std::optional<PlanFigure> figure;           ///< measure only this; empty: everything
  /// Adapts a launcher command so that it starts on these nodes; empty: no change needed.
  std::function<ProbeStart(const ProbeStart&)> adapt;
};

/// Measures, and replaces the figures of the same kinds in outcome.file. If a run fails, the other
/// results are kept and outcome.warnings say what is missing.
/// @throws Error when there is no MPI or the nodes cannot be reached.
void measure_nodes(const NodesRequest& request, MeasureOutcome& outcome);

}  // namespace plait::measure
