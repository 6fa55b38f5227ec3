// SPDX-License-Identifier: BSD-3-Clause
// Communication graphs from files: METIS graphs, Matrix Market and CSV matrices.
#pragma once

#include <filesystem>
#include <vector>

#include "map/graph.hpp"

namespace plait::map {

/// What one process sends another.
struct Transfer {
  int from = 0;
  int to = 0;
  double bytes = 0;
  double messages = 1;
};

/// The graph of transfers in any order: those of the same pair are summed, those of a process to
/// itself left out, and the pattern is made symmetric.
/// @param size  number of processes; every transfer is between two of them
Graph graph_of(std::vector<Transfer> transfers, int size);

/// A graph as a file has it.
struct GraphFile {
  Graph graph;            ///< bytes are the file's weights
  bool weighted = false;  ///< false: the file has no weights, and each is 1
};

/// Reads a graph by the ending of its name: .graph (METIS, edge weights: sent each way; vertex
/// weights are not used), .mtx (Matrix Market, coordinate or array; row: sender; symmetric: each
/// way), .csv (a square matrix, a line a sender).
/// @throws Error that names the line when the file is missing, of another kind, or damaged.
GraphFile read_graph(const std::filesystem::path& path);

}  // namespace plait::map
