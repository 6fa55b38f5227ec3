// SPDX-License-Identifier: BSD-3-Clause
// The current Slurm job, for commands that place or measure.
#pragma once

#include "launcher/slurm_allocation.hpp"

namespace plait::advise {

/// Says on standard error, in one line, that the nodes are those of the job.
void announce_job(const launcher::SlurmAllocation& allocation);

/// Moves a plan that was made for other nodes to those of the current Slurm job, and says so.
/// @throws Error when the job has fewer nodes.
launcher::Plan on_job_around(launcher::Plan plan);

}  // namespace plait::advise
