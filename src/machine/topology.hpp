// SPDX-License-Identifier: BSD-3-Clause
// The parts of a node (packages, NUMA domains, caches, cores, hardware threads), and those that a
// job may use.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "machine/cpuset.hpp"

namespace plait::machine {

/// A processor chip in a socket.
struct Package {
  int id = 0;              ///< operating-system index
  std::vector<int> cores;  ///< ids of its cores
  friend bool operator==(const Package&, const Package&) = default;
};

/// A NUMA domain: memory and its local cores, of which there may be none.
struct NumaNode {
  int id = 0;  ///< operating-system index
  std::uint64_t memory_bytes = 0;
  std::vector<int> cores;
  friend bool operator==(const NumaNode&, const NumaNode&) = default;
};

/// One data or unified cache and the cores that share it.
struct Cache {
  int level = 0;
  std::string type;              ///< "data" or "unified" (instruction caches are not kept)
  std::uint64_t size_bytes = 0;  ///< 0 when unknown
  std::uint64_t line_bytes = 0;  ///< 0 when unknown
  std::vector<int> cores;
  friend bool operator==(const Cache&, const Cache&) = default;
};

/// One core; its id is its index in Topology::cores (hwloc's logical index).
struct Core {
  int id = 0;
  int package = -1;      ///< id of its package; -1 when unknown
  int numa = -1;         ///< id of its nearest NUMA domain; -1 when there is none
  std::vector<int> pus;  ///< operating-system indices of its hardware threads
  int kind = 0;          ///< hybrid processors: rank by efficiency class; 0 if all are alike
  friend bool operator==(const Core&, const Core&) = default;
};

/// A whole node. A job may only use the allowed hardware threads.
struct Topology {
  std::vector<Package> packages;
  std::vector<NumaNode> numa_nodes;
  std::vector<Cache> caches;                 ///< ordered by level, then by first core
  std::vector<Core> cores;                   ///< ordered by id, 0..n-1
  CpuSet allowed_pus;                        ///< hardware threads left by cpuset and affinity
  std::optional<double> cgroup_quota_cores;  ///< the cgroup's CPU quota, if smaller

  [[nodiscard]] int total_pus() const;
  /// A core is allowed when one of its hardware threads is.
  [[nodiscard]] bool core_allowed(int core) const;
  /// Ids of the allowed cores, ascending.
  [[nodiscard]] std::vector<int> allowed_cores() const;
  /// Allowed hardware threads of a core, in its order.
  [[nodiscard]] std::vector<int> allowed_pus_of(int core) const;
  /// The number of cores that a job can keep busy: allowed cores, limited by the quota (rounded
  /// down), at least 1.
  [[nodiscard]] int usable_cores() const;
  /// The core of a hardware thread; -1 when there is none.
  [[nodiscard]] int core_of_pu(int pu) const;
  /// All hardware threads of the given cores.
  [[nodiscard]] CpuSet pus_of(const std::vector<int>& core_ids) const;
  /// Ids of the cores with a hardware thread in `pus`, ascending.
  [[nodiscard]] std::vector<int> cores_of(const CpuSet& pus) const;
  /// Ids of the NUMA domains of the given cores, ascending.
  [[nodiscard]] std::vector<int> numa_of(const std::vector<int>& core_ids) const;
  /// Bytes of the last cache level, summed over the node; 0 when unknown.
  [[nodiscard]] std::uint64_t last_level_cache_bytes() const;

  /// Checks that ids are consistent and at least one core is allowed.
  /// @param name  of the input, for the message
  /// @throws Error when they are not.
  void check(const std::string& name) const;

  friend bool operator==(const Topology&, const Topology&) = default;
};

void to_json(nlohmann::json& json, const Topology& topology);
void from_json(const nlohmann::json& json, Topology& topology);

}  // namespace plait::machine
