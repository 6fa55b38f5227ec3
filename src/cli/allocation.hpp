// SPDX-License-Identifier: BSD-3-Clause
// The Slurm job around a command, as the commands that place or measure take it.
#pragma once

#include "launch/slurm_allocation.hpp"

namespace plait::cli {

/// Says on stderr, in one line, that the nodes are those of the job.
void tell_allocation(const launch::SlurmAllocation& allocation);

/// A plan on the nodes of the job around this process, where it was made for others; says so.
/// @throws Error when the job has fewer nodes.
launch::Plan on_job_around(launch::Plan plan);

}  // namespace plait::cli
