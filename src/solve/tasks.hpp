// SPDX-License-Identifier: BSD-3-Clause
// Task mode on OpenMP tasks (Stengel 2010, 4.1.2 and 4.2.2), which the communicating thread joins.
#pragma once

#include "solve/stepper_job.hpp"

namespace plait::solve {

/// Thread 0 communicates; thread 1 makes a task of each block of the interior; whoever has nothing
/// else to do takes tasks, thread 0 when its messages have arrived. With a team of one: as polled.
/// Where the threads run on several NUMA domains, a task takes a block from the locality queue of
/// the domain that it runs on.
void run_tasks(const StepJob& job);

}  // namespace plait::solve
