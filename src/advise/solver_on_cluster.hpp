// SPDX-License-Identifier: BSD-3-Clause
// Runs Plait's solvers on the nodes of an emulated cluster, for figures of the papers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cluster/cluster.hpp"

namespace plait::advise {

/// The cluster of that name, with its description saved to a new folder for results.
/// @throws Error when no such cluster is up.
cluster::Cluster cluster_for_results(const std::string& name, const std::filesystem::path& folder);

/// A solver of this install: "plait-jacobi". @throws Error when Plait was built without it.
std::filesystem::path installed_solver(const std::string& name);

/// Runs a launcher's command on the first nodes of a cluster, and reports its time on standard
/// error.
/// @param command  of a solver, which writes its results itself
/// @param name     of the run, in its output files and messages
/// @throws Error when the run fails or takes longer than two minutes, Interrupted on a signal.
void run_on_nodes(const cluster::Cluster& cluster, int nodes,
                  const std::vector<std::string>& command, const std::string& name,
                  const std::filesystem::path& folder, int round, int rounds);

}  // namespace plait::advise
