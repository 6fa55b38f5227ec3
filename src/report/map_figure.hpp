// SPDX-License-Identifier: BSD-3-Clause
// Stengel's figure 3.4 (the solver with sticks and with blocks of subdomains) as a table and JSON.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "mapping/subgrid.hpp"

namespace plait::report {

/// The speeds of one size of the grid, in MLUP/s of all nodes, one for each run.
struct MapFigureRow {
  int edge = 0;                ///< cells of the whole grid along each axis
  std::vector<double> sticks;  ///< ranks in MPI_Cart_create's order
  std::vector<double> blocks;  ///< a block of subdomains on each node
};

/// The figure, measured on nodes of an emulated cluster.
struct MapFigure {
  int nodes = 1;
  int cores = 1;  ///< and ranks of each node
  bool shares_cores = false;
  mapping::SubgridSurface messages;  ///< of a node inside a large grid
  std::vector<MapFigureRow> rows;
  std::string folder;  ///< with the results of the runs
};

/// A verdict, a table with one line for each size, notes; at most 80 columns.
std::vector<std::string> map_figure_lines(const MapFigure& figure);

/// As JSON: schema "plait-map", version 1, with "figure".
nlohmann::json map_figure_to_json(const MapFigure& figure);

}  // namespace plait::report
