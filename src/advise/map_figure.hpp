// SPDX-License-Identifier: BSD-3-Clause
// Figure 3.4 of Stengel's thesis: the Jacobi solver with sticks and with blocks of subdomains on
// each node, by the size of the grid.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/map_figure.hpp"

namespace plait::advise {

/// What to measure.
struct MapFigureRequest {
  std::string cluster;                             ///< its name
  std::vector<int> edges{50, 100, 150, 200, 300};  ///< cells of the whole grid along each axis
  int repeat = 3;                                  ///< runs of each point
  int steps = 50;                                  ///< of each run
  std::string launcher = "mpiexec";                ///< of the MPI that plait-jacobi is built with
  std::filesystem::path folder;                    ///< gets the results
};

/// Runs plait-jacobi with one rank on each core of the cluster, with the ranks in MPI_Cart_create's
/// order (STD in the thesis) and with a block of subdomains on each node (ARM), in turn.
/// @throws Error as run_on_nodes(), and when the nodes have one core, where both are the same.
report::MapFigure measure_map_figure(const MapFigureRequest& request);

}  // namespace plait::advise
