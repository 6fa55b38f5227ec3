// SPDX-License-Identifier: BSD-3-Clause
// Partitioners of others for comparison: METIS, KaHIP, Scotch.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mapping/mapping.hpp"

namespace plait::bench {

/// The result of a peer for a task.
struct PeerResult {
  std::vector<int> node_of;  ///< of each process; empty: not possible or not installed
  double seconds = 0;
};

/// Runs the installed peers and adds the others to `missing`, without duplicates.
/// @param capacity  slots of each node
std::map<std::string, PeerResult> run_peers(const mapping::Graph& graph,
                                            const std::vector<int>& capacity,
                                            std::vector<std::string>& missing);

}  // namespace plait::bench
