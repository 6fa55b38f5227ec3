// SPDX-License-Identifier: BSD-3-Clause
// Describes a cluster: a sentence and a table of its nodes.
#include "cluster/show.hpp"

#include <fmt/format.h>

#include "machine/cpuset.hpp"
#include "text/counted.hpp"
#include "text/table.hpp"
#include "text/units.hpp"

namespace plait::cluster {

std::string show(const Cluster& cluster) {
  const ClusterRequest& request = cluster.request;
  const int nodes = static_cast<int>(cluster.nodes.size());
  std::string text = fmt::format(
      "Cluster {}: {} of {} each, {}{}{}.\n", request.name, counted(nodes, "node"),
      counted(cluster.nodes.front().cores, "core"),
      format_bits_per_second(request.bytes_per_second),
      request.latency_s > 0
          ? ", " + format_seconds(request.latency_s, Zeros::dropped) + " added latency"
          : "",
      request.burst_bytes > 0 ? ", bursts of " + format_bytes(request.burst_bytes) : "");
  if (cluster.shares_cores()) {
    text +=
        "Nodes share cores because there are too few; computation times are not representative.\n";
  }
  if (cluster.user_namespace)
    text += "Within the cluster you are root, but only over the cluster itself.\n";
  Table table({text_column("node"), text_column("address"),
               text_column("hardware threads", abridge_commas)},
              {2});
  for (const Node& node : cluster.nodes) {
    table.add({node.name, node.address, machine::format_ids(node.pus)});
  }
  return text + '\n' + table.text();
}

}  // namespace plait::cluster
