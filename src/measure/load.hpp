// SPDX-License-Identifier: BSD-3-Clause
// Counts the other processes that are running.
#pragma once

#include <string>

namespace plait::measure {

/// The number of runnable processes in the text of /proc/loadavg: 3 for "0.20 0.18 0.12 3/80
/// 11206"; 0 when the text is damaged.
int runnable_in(const std::string& loadavg);

/// The number of running processes other than the caller: the minimum of five samples within 50 ms,
/// so that brief wake-ups do not count. The load average would still include processes that ended a
/// minute ago.
int processes_running_beside();

}  // namespace plait::measure
