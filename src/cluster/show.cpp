// SPDX-License-Identifier: BSD-3-Clause
// Describes a cluster: a sentence and a table of its nodes.
#include "cluster/show.hpp"

#include <fmt/format.h>

#include "machine/cpuset.hpp"
#include "text/counted.hpp"

namespace plait::cluster {
namespace {

std::string rate_text(double bytes_per_second) {
  const double bits = 8 * bytes_per_second;
  if (bits >= 1e9) return fmt::format("{:g} Gbit/s", bits / 1e9);
  if (bits >= 1e6) return fmt::format("{:g} Mbit/s", bits / 1e6);
  return fmt::format("{:g} kbit/s", bits / 1e3);
}

}  // namespace

std::string show(const Cluster& cluster) {
  const ClusterRequest& request = cluster.request;
  const int nodes = static_cast<int>(cluster.nodes.size());
  std::string text = fmt::format(
      "Cluster {}: {} of {} each, {}{}.\n", request.name, counted(nodes, "node"),
      counted(cluster.nodes.front().cores, "core"), rate_text(request.bytes_per_second),
      request.latency_s > 0 ? fmt::format(", {:g} us added latency", 1e6 * request.latency_s) : "");
  if (cluster.shares_cores()) {
    text +=
        "Nodes share cores because there are too few; computation times are not representative.\n";
  }
  if (cluster.user_namespace)
    text += "Within the cluster you are root, but only over the cluster itself.\n";
  text += fmt::format("\n  {:<6}{:<14}{}\n", "node", "address", "hardware threads");
  for (const Node& node : cluster.nodes) {
    text += fmt::format("  {:<6}{:<14}{}\n", node.name, node.address,
                        machine::CpuSet::of(node.pus).format());
  }
  return text;
}

}  // namespace plait::cluster
