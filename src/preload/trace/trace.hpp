// SPDX-License-Identifier: BSD-3-Clause
// The state of this process' trace, and the events that are not MPI calls.
#pragma once

#include <stdint.h>

#include "trace/event_format.h"

namespace plait::preload {
struct Thread;
}

namespace plait::preload::trace {

enum State : int {
  kOff,  ///< no trace was asked for
  kOn,
  kFull  ///< no more room: events are counted as lost
};

/// A State, as an int for atomic built-ins.
extern int state;

/// Is there anything to do for the trace? The only cost of a call when no trace was asked for.
__attribute__((always_inline)) inline bool active() {
  return __builtin_expect(__atomic_load_n(&state, __ATOMIC_RELAXED) != kOff, 0);
}

/// Creates the event file if a trace was asked for, when the process first calls MPI.
void open();

/// Once the rank is known: stops tracing and removes the event file, if only others keep a trace.
void choose_rank(int rank, int ranks);

/// Measures the cost of an event on a temporary stream, at the end of Init.
void calibrate(Thread* thread);

/// At the begin of Finalize: what follows is recorded, and what was left out is known.
void finish();

/// Closes the calling thread's chunk, at exit.
void close();

/// In the child of a fork: stops tracing, because the trace is the parent's.
void forget();

/// Why events are left out.
enum GapReason : uint32_t {
  kPaused = 1,       ///< MPI_Pcontrol(0)
  kOtherPart = 2,    ///< not in the region or iterations that were asked for
  kNotSignalled = 4  ///< the signal has not switched recording on
};

/// Events are (no longer) left out for this reason, from this time on; see gaps.hpp.
void leave_out(GapReason reason, bool out, uint64_t now);

/// The calling thread enters or has left a user region, by the hash of its name; see parts.hpp.
void see_region(uint64_t name_hash, bool enters, uint64_t now);

/// Counts an event for which there was no room.
void lose_event();

/// A user region that the calling thread has left, with its index in the record's table.
void add_region(uint32_t index, uint64_t begin, uint64_t end);

/// An OpenMP region, by the thread that started it.
void add_parallel(uint32_t index, uint64_t begin, uint64_t end, uint32_t threads, uint64_t busy);

/// The calling thread's part in an OpenMP region.
void add_work(uint32_t index, uint64_t begin, uint64_t end, uint64_t idle, int omp_thread);

/// The calling thread waited for a CPU for this many ticks until now, outside MPI.
void add_cpu_wait(uint64_t now, uint64_t waited);

}  // namespace plait::preload::trace
