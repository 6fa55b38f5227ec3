// SPDX-License-Identifier: BSD-3-Clause
// Medians of values that are spread over several processes.
#pragma once

#include <vector>

#include "base/processes.hpp"

namespace plait::analysis {

/// Collective. The medians of several lists; of an even count, the higher one of the two middle
/// values; of an empty list, 0. Exchanges counts, not values.
/// @param lists    of values that are not negative; those of this process, in any order. All
///                 processes have equally many lists.
/// @param threads  that work at most; 0: as many as there are usable CPUs
/// @param processes  null: this one alone
std::vector<float> shared_medians(const std::vector<std::vector<float>>& lists, unsigned threads,
                                  Processes* processes);

}  // namespace plait::analysis
