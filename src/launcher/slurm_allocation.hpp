// SPDX-License-Identifier: BSD-3-Clause
// Reads the nodes of the Slurm job in which this process runs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launcher/plan.hpp"

namespace plait::launcher {

/// A node of an allocation.
struct AllocatedNode {
  std::string name;
  int cpus = 0;   ///< as Slurm counts: cores or hardware threads; 0: unknown
  int tasks = 1;  ///< ranks that Slurm starts there unless a command says otherwise
  friend bool operator==(const AllocatedNode&, const AllocatedNode&) = default;
};

/// The nodes of a job.
struct SlurmAllocation {
  std::string job;                   ///< its number
  std::vector<AllocatedNode> nodes;  ///< in Slurm's order; at least one
  friend bool operator==(const SlurmAllocation&, const SlurmAllocation&) = default;
};

/// The names in a host list: "n[1-2,07],gpu4" is n1, n2, n07, gpu4. Names may have
/// several brackets; the last one counts fastest.
/// @throws Error when it is not a host list, or has more than a million names.
std::vector<std::string> expand_hostlist(const std::string& list);

/// The numbers that Slurm writes as "2(x3),1": 2, 2, 2, 1.
/// @throws Error when it is not such a list, or has more than a million numbers.
std::vector<int> expand_counts(const std::string& text);

/// Reads the environment variables that sbatch, salloc and srun set.
/// @param value  the value of an environment variable, empty when unset (tests give their own)
/// @returns nothing outside a job
/// @throws Error when a variable cannot be read.
std::optional<SlurmAllocation> slurm_allocation(
    const std::function<std::string(const std::string&)>& value);

/// Reads the environment of this process.
std::optional<SlurmAllocation> slurm_allocation();

/// The names of its nodes, in its order.
std::vector<std::string> node_names(const SlurmAllocation& allocation);

/// "Slurm job 12: 2 nodes x 4 CPUs", "Slurm job 12: 3 nodes, 10 CPUs".
std::string allocation_text(const SlurmAllocation& allocation);

/// True if all these nodes are in the allocation. Names are compared up to the first dot.
bool holds_nodes(const SlurmAllocation& allocation, const std::vector<std::string>& nodes);

/// Moves a plan that was made for other nodes to the nodes of this allocation: the first node of
/// the plan becomes the first node here, and so on. A plan without other nodes stays as it is.
/// @throws Error when the plan has more nodes.
Plan on_allocation(Plan plan, const SlurmAllocation& allocation);

}  // namespace plait::launcher
