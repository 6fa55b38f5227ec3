// SPDX-License-Identifier: BSD-3-Clause
// Finds out which permissions for measuring this user has on this node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace plait::doctor {

struct Rights {
  std::optional<int> perf_event_paranoid;  ///< /proc/sys/kernel/perf_event_paranoid
  bool hardware_counters = false;          ///< perf_event_open of CPU cycles works
  std::string hardware_counters_problem;   ///< why not
  bool software_counters = false;          ///< of page faults
  std::optional<int> ptrace_scope;         ///< /proc/sys/kernel/yama/ptrace_scope
  bool cma = false;                        ///< process_vm_readv exists and may be called
  std::uint64_t shm_bytes = 0;             ///< size of /dev/shm
  std::uint64_t shm_free_bytes = 0;
  std::optional<double> cgroup_quota_cores;
};

/// Reads settings of the kernel, and tries counters and process_vm_readv.
Rights find_rights();

}  // namespace plait::doctor
