// SPDX-License-Identifier: BSD-3-Clause
// Reads communication graphs from METIS graphs, Matrix Market and CSV matrices.
#pragma once

#include <filesystem>
#include <vector>

#include "mapping/graph.hpp"

namespace plait::mapping {

/// What one process sends to another.
struct Transfer {
  int from = 0;
  int to = 0;
  double bytes = 0;
  double messages = 1;
};

/// The graph of transfers in any order. Transfers of the same pair are added up, transfers of a
/// process to itself are left out, and the pattern is made symmetric.
/// @param size  number of processes; every transfer is between two of them
Graph graph_of(std::vector<Transfer> transfers, int size);

/// A graph from a file.
struct GraphFile {
  Graph graph;            ///< its bytes are the weights in the file
  bool weighted = false;  ///< false: the file has no weights; each is 1
};

/// Reads a graph in the format that the file extension names: .graph (METIS; an edge weight is sent
/// each way; vertex weights are ignored), .mtx (Matrix Market, coordinate or array; a row is a
/// sender; an entry of a symmetric matrix is sent each way), .csv (a square matrix, one line per
/// sender).
/// @throws Error when the file is missing, of another kind, or damaged; names the line.
GraphFile read_graph(const std::filesystem::path& path);

}  // namespace plait::mapping
