// SPDX-License-Identifier: BSD-3-Clause
// This process on the page of its node.
#pragma once

#include <stdint.h>

#include "trace/wait_page.h"

namespace plait::preload::wait {

/// Maps the page of this node, in the folder of the records, and enters this process.
/// @return false when that is impossible: the process then waits as without this object
bool enter_page(plait_wait_policy policy);

extern plait_wait_page* page;       ///< null before enter_page()
extern plait_wait_process* myself;  ///< the entry of this process; null likewise
extern uint32_t my_index;

/// Notes on which CPUs the calling thread may run.
void note_cpus();

/// CPU time of all processes on the page; 0 when that of one is not known (other PID namespaces,
/// processes that have ended, more processes than entries).
uint64_t cpu_time_of_all();

}  // namespace plait::preload::wait
