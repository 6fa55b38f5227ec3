// SPDX-License-Identifier: BSD-3-Clause
// Memory, page faults and energy of this process over time.
//
// They are read where an MPI call begins or ends, and seldom: ten times per second at first, and
// half as often each time another 512 samples are full.
#pragma once

#include <stdint.h>

namespace plait::preload {

/// When the next sample is due, in ticks.
extern uint64_t next_memory_sample;

/// Begins at the end of MPI_Init. Makes system calls.
void memory_begin();

/// Takes a sample. Makes system calls; one thread at a time does so.
void memory_sample(uint64_t now);

inline void sample_memory_if_due(uint64_t now) {
  if (__builtin_expect(now >= __atomic_load_n(&next_memory_sample, __ATOMIC_RELAXED), 0))
    memory_sample(now);
}

/// The last figures, at MPI_Finalize or exit.
void memory_finish();

}  // namespace plait::preload
