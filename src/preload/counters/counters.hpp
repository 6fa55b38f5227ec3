// SPDX-License-Identifier: BSD-3-Clause
// Counters of perf_event_open(2) for each thread, split by user region and into inside and outside
// of MPI.
//
// A thread's counters are read at borders: where an MPI call begins or ends, and where a user
// region does. Hardware counters that a thread can read without a system call (rdpmc) are read at
// each border. Others cost a system call, so at MPI calls they are read only if the last reading is
// long enough ago, and what was counted since is divided by the time inside and outside of MPI.
#pragma once

#include <stdint.h>

namespace plait::preload::counters {

/// Are counters read in this process?
extern bool active;

/// Reads which counters are wanted (PLAIT_COUNTERS), and opens those of the calling thread. Once,
/// when the record is open. Makes system calls.
void open();

/// Counting begins: MPI_Init ends.
void begin();

/// Opens the counters of the calling thread unless it has them; they are closed when it ends.
/// Makes system calls.
/// @param omp_thread  its number in its team, -1: not known
void begin_thread(int omp_thread);

/// At a border of an MPI call: reads the counters of the calling thread if that is due.
/// @param mpi_ticks  that the thread spent in MPI until `now`
void at_call(uint64_t now, uint64_t mpi_ticks);

/// The calling thread enters a user region (1 + its index), or returns to it; 0: none. Reads its
/// counters.
void set_region(uint32_t region, uint64_t now, uint64_t mpi_ticks);

/// Reads the counters of the calling thread.
void read_now();

/// The calling thread got another count of its time in MPI.
void restart_clock();

/// The user region of the calling thread.
uint32_t region();

/// A thread of an OpenMP team begins its part in a parallel region within a user region, and ends
/// it.
void begin_work(int omp_thread, uint32_t region);
void end_work();

/// Reads the counters of all threads.
void finish();

/// Stops, in a child of the process.
void forget();

}  // namespace plait::preload::counters
