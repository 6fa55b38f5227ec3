// SPDX-License-Identifier: BSD-3-Clause
// Runs programs on a node of a cluster: jobs, which end as a whole, and a launcher's remote shell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace plait::cluster {

/// Runs a command on a node in a PID namespace of its own, so that all it starts ends with it.
/// Forwards signals to the command.
/// @param folder  of the cluster
/// @returns the command's exit code, 128 + signal, or 127 if it cannot be started
int run_job(const std::filesystem::path& folder, const std::string& node,
            const std::vector<std::string>& command);

/// Replaces this process, which belongs to a job, by a shell that runs the command on a node, as
/// sshd does. Does not return.
/// @throws Error when there is no such node.
int run_shell(const std::filesystem::path& folder, const std::string& node,
              const std::string& command);

}  // namespace plait::cluster
