// SPDX-License-Identifier: BSD-3-Clause
// Binds the calling thread to a hardware thread, and reads how long others kept it waiting there.
#pragma once

#include <cstdint>
#include <vector>

namespace plait::measure {

/// Binds the calling thread to one hardware thread (operating-system index).
/// @return false when the system refuses.
bool bind_this_thread(int pu);
/// Binds it to several.
bool bind_this_thread(const std::vector<int>& pus);

/// The hardware threads that the calling thread may use, rising; empty when the system does not
/// tell.
std::vector<int> allowed_pus();

/// Nanoseconds that the calling thread was runnable but did not run (/proc/thread-self/schedstat);
/// -1 when the system does not tell. Other processes on its core make it grow.
std::int64_t run_delay_ns();

}  // namespace plait::measure
