// SPDX-License-Identifier: BSD-3-Clause
// The sentinel: a kernel of fixed work that accesses no memory.
#pragma once

namespace plait::measure {

/// Runs a chain of dependent integer operations for about 1 ms on the calling thread.
/// @return nanoseconds per link of the chain: the best of three thirds, so that an interruption
/// does
///         not count as a change of speed
double run_sentinel();

}  // namespace plait::measure
