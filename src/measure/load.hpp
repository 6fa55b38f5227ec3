// SPDX-License-Identifier: BSD-3-Clause
// How many other processes run at this moment.
#pragma once

#include <string>

namespace plait::measure {

/// The number of runnable processes in the text of /proc/loadavg ("0.20 0.18 0.12 3/80 11206"): 3;
/// 0 when the text is damaged.
int runnable_in(const std::string& loadavg);

/// Processes that run beside the caller: the least of a few looks within 50 ms, so that what wakes
/// for a moment does not count. The load average would still hold what ended a minute ago.
int processes_running_beside();

}  // namespace plait::measure
