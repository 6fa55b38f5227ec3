// SPDX-License-Identifier: BSD-3-Clause
// A trace of a halo exchange on a grid of ranks, made in memory.
#pragma once

#include <cstdint>

#include "trace/trace.hpp"

namespace plait::bench {

/// At least `events` events of `side` x `side` ranks that exchange with four neighbours and reduce
/// in every iteration; computation differs by rank and iteration. Matched.
trace::Trace halo_trace(std::uint64_t events, int side);

}  // namespace plait::bench
