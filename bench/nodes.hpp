// SPDX-License-Identifier: BSD-3-Clause
// Emulated nodes on this machine (plait cluster) while a benchmark runs.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "cluster/cluster.hpp"

namespace plait::bench {

/// Cores for each of `count` nodes, a power of two. One CPU per node is left to emulate its link
/// where there are enough; with fewer, nodes have one core.
int cores_per_node(int count);

class Nodes {
public:
  /// @param name         of the benchmark
  /// @param latency_s    added to each packet
  /// @param cores        of each node, which nodes share if there are too few
  /// @param burst_bytes  that an idle link passes at once; 0: what it passes in 80 us
  /// @throws Error (exit code 77) if this system does not allow a cluster.
  Nodes(const char* name, int count, int rate_mbit, double latency_s = 0, int cores = 1,
        double burst_bytes = 0);

  /// For plait measure --cluster.
  [[nodiscard]] const std::string& name() const { return cluster_.get().request.name; }

  /// Sets the rate of every link.
  void set_rate(int mbit);

  /// Runs a launcher command on these nodes and kills all of it after a time limit.
  /// @param what       the measured thing, for messages
  /// @param variables  environment variables of the command, names and values
  /// @return its standard output
  /// @throws Error with its last output when it fails.
  [[nodiscard]] std::string run(
      const std::string& what, const std::vector<std::string>& command,
      std::chrono::milliseconds limit,
      const std::vector<std::pair<std::string, std::string>>& variables = {}) const;

private:
  cluster::OwnCluster cluster_;
};

}  // namespace plait::bench
