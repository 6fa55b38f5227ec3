// SPDX-License-Identifier: BSD-3-Clause
// What plait map is to map: a grid, a graph, or the messages of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/map_nodes.hpp"
#include "map/graph.hpp"
#include "report/profile.hpp"

namespace plait::cli {

/// Processes with their messages, and what else the input tells.
struct MapInput {
  map::Graph graph;
  std::optional<map::Cartesian> grid;
  std::string text;       ///< "grid 4x4x2, faces of 64.0 KiB"
  double unit_bytes = 1;  ///< of a weight of 1
  /// Of a run: where its ranks were; slot i is that of rank i.
  std::optional<MapNodes> nodes;
  std::optional<report::Profile> profile;  ///< of a run
  std::vector<std::string> notes;
};

/// How a grid is described on the command line.
struct GridWords {
  std::string dims;      ///< "4x4x2"
  std::string periodic;  ///< axes: "xz", "all"; empty: none
  std::string weights;   ///< "8,1,1"; empty: 1 each
  std::string stencil;   ///< "faces", "full"
  std::string bytes;     ///< of a weight of 1: "64KiB"; empty: that
};

/// @throws Error that names what is not understood.
MapInput grid_input(const GridWords& words);

/// @param bytes  of a weight of 1; empty: 64 KiB where the file has no weights, else 1 B
/// @throws Error as read_graph().
MapInput graph_input(const std::string& file, const std::string& bytes);

/// What the ranks of a run sent each other, over the whole run, and where they were.
/// @param run  run directory
/// @throws Error when the run recorded no rank, or not all of them.
MapInput run_input(const std::string& run);

}  // namespace plait::cli
