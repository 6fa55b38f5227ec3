// SPDX-License-Identifier: BSD-3-Clause
// Several nodes on one machine: namespaces, links of a given rate and latency, cores given to nodes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/launcher.hpp"

namespace plait::cluster {

struct ClusterRequest {
  std::string name = "default";
  int nodes = 2;                     ///< named n0, n1, ...
  double bytes_per_second = 125e6;   ///< of each node's link, each direction
  double latency_s = 0;              ///< added to each packet on its way; 0: none
  int cores_per_node = 0;            ///< 0: share out what there is, at least one each
};

struct Node {
  std::string name;
  std::string address;
  int pid = 0;            ///< of its holder
  std::vector<int> pus;   ///< hardware threads that its programs may use
};

/// A cluster that is up. Its state lies in a folder of the user's runtime directory.
struct Cluster {
  ClusterRequest request;
  std::vector<Node> nodes;
  int head_pid = 0;  ///< holder of the head node, from which launchers run
  std::filesystem::path folder;
};

/// Starts a cluster that lives until down(), or until its head process ends.
/// @throws Error when this system does not allow it (exit code 77), saying what is missing, or when
///         one of that name is up.
Cluster up(const ClusterRequest& request);

/// The cluster of that name; empty when none is up. A dead one's rests are removed.
std::optional<Cluster> find(const std::string& name);

/// Ends a cluster and removes all of it, also one that is half dead.
void down(const Cluster& cluster);

/// Sets the rate of every link of a cluster that is up.
void set_rate(const Cluster& cluster, double bytes_per_second);

/// The argv that runs a command on a node ("head" too), by its name.
std::vector<std::string> on_node(const Cluster& cluster, const std::string& node,
                                 const std::vector<std::string>& command);

/// A launcher's command made to start on this cluster: hosts, remote shell, network options. What
/// the user said about hosts stays.
struct ClusterCommand {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  ///< NAME=value
};
ClusterCommand on_cluster(const Cluster& cluster, const launch::LaunchCommand& command);

}  // namespace plait::cluster
