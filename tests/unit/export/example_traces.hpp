// SPDX-License-Identifier: BSD-3-Clause
// Hand-made traces for the tests of exports.
#pragma once

#include "made_trace.hpp"
#include "trace/site_names.hpp"

namespace plait::exports {

/// Two ranks: {1 s, send 1 MB, 0.5 s, allreduce} and {0.2 s, receive, 1 s, allreduce}, on a network
/// where the message takes 0.984 ms and the allreduce no time.
trace::Trace worked_example();

/// Four ranks on two nodes: each computes longer than the previous one and passes on a message that
/// it receives from any source, so all wait for the first.
trace::Trace chain();

/// Four ranks: all collectives of the world with late roots and late ranks, some of half of the
/// ranks, exchanges with Waitall and Sendrecv, polls, user regions, a call to MPI_PROC_NULL.
trace::Trace all_kinds();

/// Two ranks that call MPI_Allreduce in the function reduce of a Python file, first from
/// Solver.run.step, then from finish.
trace::Trace called_from_wrappers();

/// The names of a trace's places.
trace::PlaceNames names_of(const trace::Trace& trace);

}  // namespace plait::exports
