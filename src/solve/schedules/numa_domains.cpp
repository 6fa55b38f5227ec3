// SPDX-License-Identifier: BSD-3-Clause
// The NUMA domains that this process computes in.
#include "solve/schedules/numa_domains.hpp"

#include <sched.h>

#include <algorithm>
#include <cstddef>

#include "machine/discover.hpp"
#include "plait/error.hpp"

namespace plait::solve {
namespace {

// Values as in firmware's distance tables (ACPI: 10 is local); only their order matters.
constexpr double local = 10;
constexpr double same_package = 12;
constexpr double other_package = 20;

}  // namespace

NumaDomains::NumaDomains(const machine::Topology& topology) {
  std::vector<int> package_of;  // of each domain
  for (const machine::NumaNode& node : topology.numa_nodes) {
    const auto core = std::find_if(
        topology.cores.begin(), topology.cores.end(),
        [&](const auto& c) { return c.numa == node.id && topology.core_allowed(c.id); });
    if (core == topology.cores.end()) continue;
    of_node_.emplace(node.id, static_cast<int>(package_of.size()));
    package_of.push_back(core->package);
  }
  if (package_of.empty()) package_of.push_back(-1);
  for (std::size_t a = 0; a < package_of.size(); ++a) {
    std::vector<double>& row = distances_.emplace_back();
    for (std::size_t b = 0; b < package_of.size(); ++b) {
      row.push_back(a == b ? local : package_of[a] == package_of[b] ? same_package : other_package);
    }
  }
  for (const machine::Core& core : topology.cores) {
    const auto domain = of_node_.find(core.numa);
    if (domain == of_node_.end()) continue;
    for (const int pu : core.pus) {
      const auto n = static_cast<std::size_t>(pu);
      if (of_pu_.size() <= n) of_pu_.resize(n + 1, 0);
      of_pu_[n] = domain->second;
    }
  }
}

NumaDomains NumaDomains::of_cpus(const machine::CpuSet& cpus) {
  try {
    machine::Topology topology = machine::discover_local({.own_affinity = false}).topology;
    topology.allowed_pus = cpus;
    return NumaDomains(topology);
  } catch (const Error&) {
    return NumaDomains(machine::Topology{});  // topology unknown: assume uniform memory
  }
}

int NumaDomains::of_pu(int pu) const {
  const auto n = static_cast<std::size_t>(pu);
  return pu >= 0 && n < of_pu_.size() ? of_pu_[n] : 0;
}

int NumaDomains::of_node(int node) const {
  const auto domain = of_node_.find(node);
  return domain == of_node_.end() ? -1 : domain->second;
}

int NumaDomains::of_calling_thread() const {
  return count() == 1 ? 0 : of_pu(sched_getcpu());
}

}  // namespace plait::solve
