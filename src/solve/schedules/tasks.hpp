// SPDX-License-Identifier: BSD-3-Clause
// Task mode on OpenMP tasks (Stengel 2010, 4.1.2 and 4.2.2), which the communicating thread joins.
#pragma once

#include <span>

#include "solve/schedules/page_domains.hpp"
#include "solve/schedules/stepper_job.hpp"

namespace plait::solve {

/// Thread 0 communicates, and thread 1 creates a task for each block of the interior. Threads that
/// are free run tasks; thread 0 joins them once its messages have arrived. With a team of one: same
/// as polled. With several NUMA domains, each block is in the locality queue of the domain that has
/// its pages, and a task takes its block from the queue of the domain that it runs in.
void run_tasks(const StepJob& job, PageDomains& pages);

/// The domain of a block's first row, if the kernel does not say where its pages are: that of the
/// thread that first touched the row, which is the thread to which the static distribution of
/// for_share() assigns it.
int domain_of_block(const Box& block, const Box& own, std::span<const int> domain_of_thread);

}  // namespace plait::solve
