// SPDX-License-Identifier: BSD-3-Clause
// Foreign processes that are bound to our cores.
#pragma once

#include <stdint.h>

namespace plait::preload {

/// Looks for processes outside of this run that are bound to some of the `allowed` CPUs, and that
/// use them now, and keeps them in FOREIGN. Sleeps some milliseconds when there are candidates.
void record_foreign_processes(const uint64_t* allowed);

}  // namespace plait::preload
