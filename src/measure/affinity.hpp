// SPDX-License-Identifier: BSD-3-Clause
// Binds the calling thread to hardware threads, and reads how long it waited for a CPU.
#pragma once

#include <cstdint>
#include <vector>

namespace plait::measure {

/// Binds the calling thread to one hardware thread (operating-system index).
/// @return false when the system refuses
bool bind_this_thread(int pu);
/// The same for several hardware threads; false also for an empty list.
bool bind_this_thread(const std::vector<int>& pus);

/// The hardware threads that the calling thread may use, ascending; empty when they cannot be read.
std::vector<int> allowed_pus();

/// Nanoseconds that the calling thread has waited for a CPU, because other processes used its core
/// (/proc/thread-self/schedstat); -1 when that cannot be read.
std::int64_t run_delay_ns();

}  // namespace plait::measure
