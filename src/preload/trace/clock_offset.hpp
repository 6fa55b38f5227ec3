// SPDX-License-Identifier: BSD-3-Clause
// The offset between this host's clock and that of world rank 0's host.
#pragma once

#include <stdint.h>

namespace plait::preload::trace {

/// Is to be told by all processes of a job on several hosts, at the end of Init: `hosts` has a
/// number for each world rank's host; `all_traced`: each of them keeps a trace. Collective over
/// MPI_COMM_WORLD if so.
void begin_alignment(const uint64_t* hosts, int size, bool all_traced);

/// Measures anew, at the begin of Finalize. Collective over MPI_COMM_WORLD if begin_alignment was.
void end_alignment();

}  // namespace plait::preload::trace
