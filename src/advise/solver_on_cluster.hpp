// SPDX-License-Identifier: BSD-3-Clause
// Runs plait-jacobi on the nodes of an emulated cluster, for figures of Stengel's thesis.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cluster/cluster.hpp"

namespace plait::advise {

/// The cluster of that name, with its description saved to a new folder for results.
/// @throws Error when no such cluster is up.
cluster::Cluster cluster_for_results(const std::string& name, const std::filesystem::path& folder);

/// The plait-jacobi of this install. @throws Error when Plait was built without it.
std::filesystem::path installed_solver();

/// Runs a launcher's command on the first nodes of a cluster, and reports its time on standard
/// error.
/// @param command  of plait-jacobi, which writes its results itself
/// @param name     of the run, in its output files and messages
/// @throws Error when the run fails or takes longer than two minutes, Interrupted on a signal.
void run_on_nodes(const cluster::Cluster& cluster, int nodes,
                  const std::vector<std::string>& command, const std::string& name,
                  const std::filesystem::path& folder, int round, int rounds);

}  // namespace plait::advise
