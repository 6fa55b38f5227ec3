// SPDX-License-Identifier: BSD-3-Clause
// Programs on a node of a cluster: jobs, which end as a whole, and a launcher's remote shell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace plait::cluster {

/// Runs a command on a node in a PID namespace of its own, in which all that it starts ends with
/// it. Signals that this process is sent reach the command.
/// @param folder  of the cluster
/// @returns the command's exit code, 128 + signal, 127 when it cannot be started
int run_job(const std::filesystem::path& folder, const std::string& node,
            const std::vector<std::string>& command);

/// Becomes the command's shell on a node, as ssh's other end does. For processes of a job.
/// @returns 255 when that is impossible, with the reason on standard error, as ssh does
/// @throws Error when there is no such node.
int run_shell(const std::filesystem::path& folder, const std::string& node,
              const std::string& command);

}  // namespace plait::cluster
