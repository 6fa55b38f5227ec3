// SPDX-License-Identifier: BSD-3-Clause
// Several nodes on one machine: namespaces, links of a given rate and latency, cores given to
// nodes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/launcher.hpp"

namespace plait::cluster {

/// Node whose name launchers are started on: no rank runs there.
inline constexpr const char* kHead = "head";
/// More do not fit into the clusters' network, 10.77.0.0/24.
inline constexpr int kMostNodes = 250;
/// Exit code where this system does not allow a cluster.
inline constexpr int kNotAllowed = 77;

struct ClusterRequest {
  std::string name = "default";
  int nodes = 2;                    ///< named n0, n1, ...
  double bytes_per_second = 125e6;  ///< of each node's link, each direction
  double latency_s = 0;             ///< added to each packet on its way; 0: none
  int cores_per_node = 0;           ///< 0: share out what there is, at least one each
  bool ends_with_caller = false;    ///< also when this process (the calling thread) is killed
};

struct Node {
  std::string name;
  std::string address;
  int pid = 0;           ///< of its holder, in the cluster's PID namespace
  std::vector<int> pus;  ///< hardware threads that its programs may use
  int cores = 0;         ///< cores that these belong to
};

/// A cluster that is up. Its state lies in a folder of the user's runtime directory.
struct Cluster {
  ClusterRequest request;
  std::vector<Node> nodes;
  int head_pid = 0;             ///< holder of the head node, from which launchers run
  bool user_namespace = false;  ///< it has one of its own: its user is root in it only
  std::filesystem::path folder;

  /// Some core is given to more than one node.
  [[nodiscard]] bool shares_cores() const;
};

/// Starts a cluster that lives until down(), or until its head process ends.
/// @throws Error when this system does not allow it (exit code 77), saying what is missing, when
///         the request is no cluster, or when one of that name is up.
Cluster up(const ClusterRequest& request);

/// The cluster of that name; empty when none is up. A dead one's rests are removed. Within a
/// cluster, that one is found, by its own name or "default", and no other.
std::optional<Cluster> find(const std::string& name);

/// All clusters of this user that are up, by name. Dead ones' rests are removed.
std::vector<Cluster> find_all();

/// Ends a cluster and removes all of it, also one that is half dead.
void down(const Cluster& cluster);

/// A cluster that ends with this object, also when this process (the calling thread) is killed.
class OwnCluster {
public:
  /// @throws Error as up does.
  explicit OwnCluster(ClusterRequest request);
  /// A cluster that does not end is a warning on standard error.
  ~OwnCluster();
  OwnCluster(const OwnCluster&) = delete;
  OwnCluster& operator=(const OwnCluster&) = delete;
  [[nodiscard]] const Cluster& get() const { return cluster_; }

private:
  Cluster cluster_;
};

/// Sets the rate of every link of a cluster that is up. Also from within it.
/// @throws Error when the rate is out of range, or the kernel refuses.
void set_rate(const Cluster& cluster, double bytes_per_second);

/// The argv that runs a command on a node ("head" too), by its name. What the command starts ends
/// with it, on all nodes. Also from within the cluster.
/// @throws Error when there is no such node.
std::vector<std::string> on_node(const Cluster& cluster, const std::string& node,
                                 const std::vector<std::string>& command);

/// A launcher's command made to start on this cluster: hosts, remote shell, network options. What
/// the user said about hosts stays.
struct ClusterCommand {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  ///< NAME=value

  /// The environment as names and values.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> variables() const;
};

/// All that can be is said by environment variables, which a launcher's own options override. Ranks
/// are shared out in blocks, evenly over all nodes, unless the command says otherwise. Hosts are in
/// a file in the cluster's folder.
ClusterCommand on_cluster(const Cluster& cluster, const launch::LaunchCommand& command);

/// The same for words in which a launcher may stand behind another command (plait run --), or
/// nowhere (a script: then whatever launcher it starts finds the nodes).
ClusterCommand on_cluster(const Cluster& cluster, const std::vector<std::string>& command);

/// Whether this process is within a cluster.
bool inside();

}  // namespace plait::cluster
