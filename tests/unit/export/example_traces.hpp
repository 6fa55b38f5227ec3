// SPDX-License-Identifier: BSD-3-Clause
// Traces made by hand that the tests of exports share.
#pragma once

#include "made_trace.hpp"

namespace plait::exports {

/// Two ranks: {1 s, send 1 MB, 0.5 s, allreduce} and {0.2 s, receive, 1 s, allreduce}, on a network
/// on which the message takes 0.984 ms and the allreduce nothing.
trace::Trace worked_example();

/// Four ranks on two nodes: each computes longer than the one before it and passes a message on,
/// received from any source, so that all wait for the first.
trace::Trace chain();

/// Four ranks, all collectives of the world with late roots and late ranks between, some of a half
/// of the ranks, exchanges by Waitall and Sendrecv, polls, user regions, a call to nobody.
trace::Trace all_kinds();

}  // namespace plait::exports
