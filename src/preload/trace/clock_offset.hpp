// SPDX-License-Identifier: BSD-3-Clause
// The offset between this host's clock and that of world rank 0's host.
#pragma once

#include <stdint.h>

namespace plait::preload::trace {

/// To be called by all processes of a job on several hosts, at the end of Init.
/// @param hosts  the number of each world rank's host
/// @param all_traced  every process keeps a trace; then the call is collective over MPI_COMM_WORLD
void begin_alignment(const uint64_t* hosts, int size, bool all_traced);

/// Measures again, at the start of Finalize. Collective over MPI_COMM_WORLD if begin_alignment was.
void end_alignment();

}  // namespace plait::preload::trace
