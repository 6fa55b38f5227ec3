// SPDX-License-Identifier: BSD-3-Clause
// Other people's partitioners on a mapping task: METIS, KaHIP, Scotch.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "map/mapping.hpp"

namespace plait::bench {

/// What a peer made of a task.
struct PeerResult {
  std::vector<int> node_of;  ///< of each process; empty: it cannot do this task or is not installed
  double seconds = 0;
};

/// Runs the peers that are installed; what is missing is noted in `missing`, once.
/// @param capacity  slots of each node
std::map<std::string, PeerResult> run_peers(const map::Graph& graph,
                                            const std::vector<int>& capacity,
                                            std::vector<std::string>& missing);

}  // namespace plait::bench
