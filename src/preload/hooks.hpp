// SPDX-License-Identifier: BSD-3-Clause
// What the parts of a preload object do for each other, and when: the order of a process' life.
//
//   load (constructor): open_record -> openmp_load
//   first MPI call:     trace::open (preload/trace)
//   end of MPI_Init:    coverage_check -> placement_init -> taken_sample(false)
//   first parallel region's end: placement_after_parallel
//   MPI_Finalize begin: taken_sample(true) -> openmp_flush
//   exit (destructor):  taken_sample(true) if not finalized, trace::close, state = EXITED
//
// Parts may be left out of a build (PLAIT_PRELOAD_PARTS): their hooks are weak, and callers test.
#pragma once

#include <stdint.h>

#define PLAIT_HOOK __attribute__((weak))

namespace plait::preload {

// openmp/
PLAIT_HOOK void openmp_load();   ///< finds the OpenMP runtime, sets record->openmp_view
PLAIT_HOOK void openmp_flush();  ///< brings the thread totals up to date in the file

// placement/
PLAIT_HOOK void placement_init();  ///< every thread's affinity, foreign processes, quota
PLAIT_HOOK void placement_after_parallel(int omp_thread,
                                         int num_threads);  ///< by each thread, first region

// taken/
PLAIT_HOOK void taken_sample(bool at_end);

// coverage/
PLAIT_HOOK void coverage_check();  ///< imported MPI entry points that are not wrapped -> UNSEEN

// profile/: called by the other parts
bool is_wrapped(const char* mpi_symbol);  ///< "MPI_Send", "PMPI_Send": does this object define it?
uint64_t thread_mpi_ticks();              ///< ticks inside MPI of the calling thread so far

}  // namespace plait::preload
