// SPDX-License-Identifier: BSD-3-Clause
// Reads what is to be mapped: a grid, a graph, or the messages of a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advise/mapping_nodes.hpp"
#include "mapping/graph.hpp"
#include "report/profile.hpp"

namespace plait::advise {

/// Processes with their messages, and what the input says beyond them.
struct MapInput {
  mapping::Graph graph;
  std::optional<mapping::Cartesian> grid;
  std::string text;       ///< "grid 4x4x2, faces of 64.0 KiB"
  double unit_bytes = 1;  ///< of a weight of 1
  /// Of a run: where its ranks were; slot i is that of rank i.
  std::optional<MapNodes> nodes;
  std::optional<report::Profile> profile;  ///< of a run
  std::vector<std::string> part_of;        ///< of a run with parts: name of each rank's part
  /// Of a run whose ranks differ in threads or cores: which of them fit into each other's slots.
  std::vector<int> class_of;
  std::vector<std::string> notes;
};

/// How a grid is described on the command line.
struct GridOptions {
  std::string dims;      ///< "4x4x2"
  std::string periodic;  ///< axes: "xz", "all"; empty: none
  std::string weights;   ///< "8,1,1"; empty: 1 each
  std::string stencil;   ///< "faces", "full"
  std::string bytes;     ///< of a weight of 1: "64KiB"; empty: that
};

/// @throws Error that names what is not understood.
MapInput grid_input(const GridOptions& options);

/// @param bytes  of a weight of 1; empty: 64 KiB where the file has no weights, else 1 B
/// @throws Error as read_graph().
MapInput graph_input(const std::string& file, const std::string& bytes);

/// What the ranks of a run sent each other, over the whole run, and where they were.
/// @param run  run directory
/// @throws Error when the run recorded no rank, or not all of them.
MapInput run_input(const std::string& run);

}  // namespace plait::advise
