// SPDX-License-Identifier: BSD-3-Clause
// Emulated nodes on one machine, in namespaces of their own, with links of a given rate and
// latency.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace plait::cluster {

/// The node on which launchers run; no rank runs there.
inline constexpr const char* kHead = "head";
/// As many as fit into the cluster's network, 10.77.0.0/24.
inline constexpr int kMostNodes = 250;
/// Exit code on systems that do not allow a cluster.
inline constexpr int kNotAllowed = 77;

/// A request for a cluster.
struct ClusterRequest {
  std::string name = "default";
  int nodes = 2;                    ///< named n0, n1, ...
  double bytes_per_second = 125e6;  ///< of each node's link, each direction
  double latency_s = 0;             ///< added to each packet; 0: none
  double burst_bytes = 0;           ///< that an idle link passes at once; see node_end()
  int cores_per_node = 0;           ///< 0: divide the usable cores, at least one each
  bool ends_with_caller = false;    ///< even if this process (the calling thread) is killed
};

/// One node of a cluster.
struct Node {
  std::string name;
  std::string address;
  int pid = 0;  ///< of the process that keeps its namespaces, in the cluster's PID namespace
  std::vector<int> pus;  ///< hardware threads that its programs may use
  int cores = 0;         ///< number of cores that these belong to
};

/// A cluster that is up. Its state is in a folder of the user's runtime directory.
struct Cluster {
  ClusterRequest request;
  std::vector<Node> nodes;
  int head_pid = 0;             ///< of the head process, which keeps the head node's namespaces
  bool user_namespace = false;  ///< the cluster has its own: its user is root only within it
  std::filesystem::path folder;

  /// True if some core belongs to more than one node.
  [[nodiscard]] bool shares_cores() const;
};

/// Starts a cluster that lives until down(), or until its head process ends.
/// @throws Error when this system does not allow it (exit code 77, with what is missing), when the
///         request is invalid, or when a cluster of that name is up.
Cluster up(const ClusterRequest& request);

/// The cluster of that name; empty if none is up. Removes what a dead one left. Within a cluster,
/// finds only that one, by its own name or "default".
std::optional<Cluster> find(const std::string& name);

/// All clusters of this user that are up, by name. Removes what dead ones left. Within a cluster,
/// only that one. A cluster that cannot be read is a warning on standard error.
std::vector<Cluster> find_all();

/// Ends a cluster and removes its folder, even if some of its processes have ended.
/// @throws Error when called within a cluster, or when the cluster does not end.
void down(const Cluster& cluster);

/// A cluster that ends with this object, even if this process (the calling thread) is killed.
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

/// Sets the rate of every link of a cluster that is up; works within it too.
/// @throws Error when the rate is out of range, or the kernel does not allow it.
void set_rate(const Cluster& cluster, double bytes_per_second);

/// The argv that runs a command on a node, or on "head". All that the command starts, on any node,
/// ends with it. Works within the cluster too.
/// @throws Error when there is no such node.
std::vector<std::string> on_node(const Cluster& cluster, const std::string& node,
                                 const std::vector<std::string>& command);

/// True if this process is within a cluster.
bool inside();

}  // namespace plait::cluster
