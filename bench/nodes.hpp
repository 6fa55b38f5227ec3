// SPDX-License-Identifier: BSD-3-Clause
// Nodes of one core each on this machine (plait cluster), for as long as a benchmark runs.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "cluster/cluster.hpp"

namespace plait::bench {

class Nodes {
public:
  /// @param name       of the benchmark
  /// @param latency_s  added to each packet on its way
  /// @throws Error (exit code 77) where this system does not allow a cluster.
  Nodes(const char* name, int count, int rate_mbit, double latency_s = 0);

  /// Sets the rate of every link.
  void set_rate(int mbit);

  /// Runs a launcher's command with these nodes, within a time limit after which all of it is
  /// killed.
  /// @param what       is measured, for messages
  /// @param variables  set for the command, names and values
  /// @returns what it wrote to standard output
  /// @throws Error with its last words when it fails.
  [[nodiscard]] std::string run(
      const std::string& what, const std::vector<std::string>& command,
      std::chrono::milliseconds limit,
      const std::vector<std::pair<std::string, std::string>>& variables = {}) const;

private:
  cluster::OwnCluster cluster_;
};

}  // namespace plait::bench
