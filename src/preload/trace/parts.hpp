// SPDX-License-Identifier: BSD-3-Clause
// Which parts of the run are traced: a region, iterations of it, or from signal to signal.
//
// PLAIT_TRACE_REGION names a user region, or an MPI function whose calls count iterations.
// PLAIT_TRACE_ITERATIONS lists those to trace, from 1 on (rank_selection.hpp has the syntax).
// PLAIT_TRACE_SIGNAL is the number of the signal that switches recording on and off again.
// Regions and calls count in the process' main thread.
#pragma once

#include <stdint.h>

#include "preload/calls/call.hpp"

namespace plait::preload::trace {

/// Reads what was asked for. Begins a gap if not all of the run is traced.
void choose_parts();

/// A call has ended, whose event has not been written yet.
void see_call(const Call& call);

/// Says what was asked for and did not occur, at Finalize.
void report_parts();

}  // namespace plait::preload::trace
