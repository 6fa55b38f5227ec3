// SPDX-License-Identifier: BSD-3-Clause
// The offset between this host's clock and that of world rank 0's host.
#pragma once

#include "preload/calls/communicators.hpp"

namespace plait::preload::trace {

/// To be called by all processes of a job on several hosts, at the end of Init. If every process
/// keeps a trace, the call is collective over MPI_COMM_WORLD.
void begin_alignment(const JobHosts& job);

/// Measures again, at the start of Finalize. Collective over MPI_COMM_WORLD if begin_alignment was.
void end_alignment();

}  // namespace plait::preload::trace
