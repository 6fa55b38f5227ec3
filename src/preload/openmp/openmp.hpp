// SPDX-License-Identifier: BSD-3-Clause
// Questions about OpenMP from other parts of the preload object.
#pragma once

namespace plait::preload::openmp {

/// The number of threads of the next parallel region; -1 without a runtime. Call it only after the
/// affinity at Init was recorded.
int max_threads();

}  // namespace plait::preload::openmp
