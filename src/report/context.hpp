// SPDX-License-Identifier: BSD-3-Clause
// The environment of a run: hosts, MPI, OpenMP, and where its threads could run.
#pragma once

#include <string>
#include <vector>

#include "machine/machine_file.hpp"
#include "report/job.hpp"
#include "report/profile.hpp"

namespace plait::report {

/// Hosts (in order of their first rank), MPI, OpenMP runtime and thread level of a job.
Context context_of(const Job& job);

/// The index into `hosts` of each rank's host; -1 for ranks that left no records.
std::vector<int> nodes_of(const Job& job, const std::vector<HostRanks>& hosts);

/// Where the computing threads of all ranks may run. Cores and NUMA domains are empty when the
/// topology is unknown.
std::vector<ThreadPlace> thread_places(const std::vector<const trace::RankRecord*>& records,
                                       const machine::MachineFile& machine,
                                       const std::vector<std::string>& command);

}  // namespace plait::report
