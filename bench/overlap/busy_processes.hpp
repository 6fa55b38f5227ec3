// SPDX-License-Identifier: BSD-3-Clause
// Processes that keep cores busy: the load of other jobs on an oversubscribed node.
#pragma once

#include <sys/types.h>

#include <vector>

namespace plait::bench {

/// Starts processes that compute endlessly and kills them in its destructor; they also end with
/// this process.
class BusyProcesses {
public:
  /// @param per_cpu  processes on each CPU that this process may use
  explicit BusyProcesses(int per_cpu);
  ~BusyProcesses();
  BusyProcesses(const BusyProcesses&) = delete;
  BusyProcesses& operator=(const BusyProcesses&) = delete;

private:
  std::vector<pid_t> processes_;
};

}  // namespace plait::bench
