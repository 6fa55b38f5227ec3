// SPDX-License-Identifier: BSD-3-Clause
// What other parts of the preload ask about OpenMP.
#pragma once

namespace plait::preload::openmp {

/// Threads that the next parallel region would get; -1 without a runtime. After Init's affinity
/// was looked at.
int max_threads();

}  // namespace plait::preload::openmp
