// SPDX-License-Identifier: BSD-3-Clause
// Generates the trace of a halo exchange on a grid of ranks in memory.
#pragma once

#include <cstdint>

#include "trace/trace.hpp"

namespace plait::bench {

/// A matched trace of at least `events` events. In every iteration, `side` x `side` ranks exchange
/// with four neighbours and reduce; the computation differs by rank and iteration.
trace::Trace halo_trace(std::uint64_t events, int side);

}  // namespace plait::bench
