// SPDX-License-Identifier: BSD-3-Clause
// Launcher commands that start their ranks on a cluster's nodes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cluster/cluster.hpp"
#include "launcher/launcher.hpp"

namespace plait::cluster {

/// A command that starts on a cluster: hosts, remote shell and network options are set, except
/// where the user's command sets them itself.
struct ClusterCommand {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  ///< NAME=value

  /// The environment as names and values.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> variables() const;
};

/// Prepares a launcher's command. Uses environment variables where it can, because a launcher's own
/// options override them. Ranks are spread evenly over all nodes, in blocks, unless the command
/// says otherwise. Writes a file of hosts into the cluster's folder.
/// @throws Error when that file cannot be written.
ClusterCommand on_cluster(const Cluster& cluster, const launcher::LaunchCommand& command);

/// The same for any arguments: the launcher may follow another command (plait run --), or there is
/// none (a script: then any launcher that it starts finds the nodes).
ClusterCommand on_cluster(const Cluster& cluster, const std::vector<std::string>& command);

}  // namespace plait::cluster
