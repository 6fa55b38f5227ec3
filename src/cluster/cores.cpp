// SPDX-License-Identifier: BSD-3-Clause
// Divides cores among the nodes of a cluster.
#include "cluster/cores.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plait/error.hpp"

namespace plait::cluster {

std::vector<std::vector<int>> share_cores(int cores, int nodes, int per_node) {
  if (per_node < 0 || per_node > cores) {
    throw Error(fmt::format("{} cores per node", per_node),
                fmt::format("this process may use {} cores", cores),
                fmt::format("request 1 to {}", cores));
  }
  if (per_node == 0) per_node = std::max(1, cores / nodes);
  std::vector<std::vector<int>> of_nodes(static_cast<std::size_t>(nodes));
  int next = 0;
  for (std::vector<int>& of_node : of_nodes) {
    for (int i = 0; i < per_node; ++i) of_node.push_back(next++ % cores);
    std::sort(of_node.begin(), of_node.end());
  }
  return of_nodes;
}

}  // namespace plait::cluster
