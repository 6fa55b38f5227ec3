// SPDX-License-Identifier: BSD-3-Clause
// Maps processes to nodes: puts together input, nodes and costs, and finds the mapping.
#pragma once

#include <string>
#include <vector>

#include "advise/mapping_input.hpp"
#include "report/mapping.hpp"

namespace plait::advise {

/// A request for a mapping, as texts of the command line.
struct MappingOptions {
  std::string run;  ///< run directory; empty without grid and graph: the newest one
  GridOptions grid;
  std::string graph;                  ///< file
  std::string nodes;                  ///< "4x8", as nodes_by_capacity() takes it
  std::string hosts;                  ///< "a,b", or with slots "a:8,b:8"
  std::vector<std::string> machines;  ///< as nodes_of_machines() takes them
  int cores_per_rank = 1;
  int ranks_per_slot = 1;
  std::string now = "block";  ///< or "cyclic"
  std::string goal = "time";  ///< or "cut", "distance"
  std::string distances;      ///< "1:10:100"
  std::string latency;        ///< of the network: "50us"
  std::string bandwidth;      ///< "1Gbit/s"
  std::string emit;           ///< one of emit_targets(); empty: nothing is written
  std::string folder = "plait-map";
  std::vector<std::string> program;  ///< to start; empty: that of the run
};

/// Finds the mapping, and writes the plan and the launcher's files that were asked for.
/// @throws Error that names the option that is not understood or is missing.
report::MappingReport map_to_nodes(const MappingOptions& options);

}  // namespace plait::advise
