// SPDX-License-Identifier: BSD-3-Clause
// The processes of an MPI job that share an analysis: mpiexec -n N plait report RUN.
#pragma once

#include <functional>

#include "base/processes.hpp"

namespace plait {

/// Runs `work` on the processes that a launcher of MPI started together with this one; on this one
/// alone if there is no launcher, or it started no others. Only process 0 shall print or write.
/// With PLAIT_LEADERS=all in the environment of the first process, each process works, as on a node
/// of its own. With PLAIT_LEADERS=none, this process works alone: for a command that not all
/// processes of a job start.
/// @returns the exit code of `work` on process 0; 0 on the others
/// @throws Error what `work` throws, on process 0; and when MPI cannot be used.
int run_on_processes(const std::function<int(Processes&)>& work);

/// Runs `work`, which is not shared, on the first of the processes that a launcher of MPI started.
/// The others do nothing, and MPI is not used.
/// @returns the exit code of `work`; 0 on the others
int run_on_first_process(const std::function<int()>& work);

}  // namespace plait
