// SPDX-License-Identifier: BSD-3-Clause
// Task mode on OpenMP tasks (Stengel 2010, 4.1.2 and 4.2.2), which the communicating thread joins.
#pragma once

#include <span>

#include "solve/numa_domains.hpp"
#include "solve/stepper_job.hpp"

namespace plait::solve {

/// Thread 0 communicates; thread 1 makes a task of each block of the interior; whoever has nothing
/// else to do takes tasks, thread 0 when its messages have arrived. With a team of one: as polled.
/// On several NUMA domains a task takes a block from the locality queue of the domain that it runs
/// in.
void run_tasks(const StepJob& job, const NumaDomains& domains);

/// The domain in which a block's first row lies: that of the thread which touched it first, to
/// whom the static distribution of for_share() gives it.
int domain_of_block(const Box& block, const Box& own, std::span<const int> domain_of_thread);

}  // namespace plait::solve
