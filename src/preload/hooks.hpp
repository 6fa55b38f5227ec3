// SPDX-License-Identifier: BSD-3-Clause
// The calls between the parts of a preload object, in the order of a process' life.
//
//   load (constructor): open_record -> openmp_load -> functions::open; hide_absent_functions
//   first MPI call:     open_observers
//   end of MPI_Init:    coverage_check -> placement_init -> memory_begin ->
//                       cpu_wait_sample(false) -> counters::begin
//   first parallel region's end: placement_after_parallel
//   MPI_Finalize begin: counters::finish -> memory_finish -> cpu_wait_sample(true) -> openmp_flush
//                       -> gather::run, which may end the recording here
//   exit (destructor):  the same if not finalized, functions::close, trace::close, state = EXITED
#pragma once

#include <stdint.h>

namespace plait::preload {

// openmp/
void openmp_load();   ///< finds the OpenMP runtime, sets record->openmp_view
void openmp_flush();  ///< updates the thread totals in the file

// placement/
void placement_init();  ///< every thread's affinity, foreign processes, quota
/// Called by each thread at the end of its first parallel region.
void placement_after_parallel(int omp_thread, int num_threads);

// cpu_wait/
void cpu_wait_sample(bool at_end);

// memory/
// Memory, page faults, energy and the bytes moved to and from files are read where an MPI call
// begins or ends, with --io also where a call for a file does, and seldom: ten times per second at
// first, and half as often each time another 512 samples are full.
extern uint64_t next_memory_sample;  ///< when it is due, in ticks
void memory_begin();                 ///< at the end of MPI_Init; makes system calls
/// Takes a sample. Makes system calls; one thread at a time does so.
void memory_sample(uint64_t now);
inline void sample_memory_if_due(uint64_t now) {
  if (__builtin_expect(now >= __atomic_load_n(&next_memory_sample, __ATOMIC_RELAXED), 0))
    memory_sample(now);
}
void memory_finish();  ///< the last figures, at MPI_Finalize or exit

// sampling/
void sampling_begin_thread();  ///< in a new thread, before the program's function

// coverage/
void coverage_check();  ///< imported MPI entry points that are not wrapped -> UNSEEN
/// For a process without an MPI library that may open one. Makes system calls; 0.2 ms.
void hide_absent_functions();

// check/
/// Makes the check file. False: no room; nothing is checked (reported once).
bool check_open();

// calls/
bool is_wrapped(const char* mpi_symbol);  ///< "MPI_Send", "PMPI_Send": does this object define it?
uint64_t thread_mpi_ticks();              ///< ticks inside MPI of the calling thread so far
bool is_inside_mpi();                     ///< is the calling thread in an MPI call?

// wrappers/
/// Opens the check file and the trace if they were asked for, and sets `checking` and `watching`.
void open_observers();

}  // namespace plait::preload
