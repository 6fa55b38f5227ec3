// SPDX-License-Identifier: BSD-3-Clause
// Improves a partition by moves and exchanges between two parts at a time.
#pragma once

#include <cstdint>

#include "mapping/search/partition.hpp"

namespace plait::mapping {

/// Moves and exchanges processes between two parts at a time, where the parts share pairs, until
/// nothing improves the rating: Fiduccia and Mattheyses (1982) between two parts, over the graph of
/// parts, as in Sanders and Schulz (ESA 2011, section 5). Parts within their capacity stay within
/// it; parts above it are brought down first.
/// @param most_visits  stop after looking at this many pairs
/// @return visits made
std::int64_t refine(Partition& partition, std::int64_t most_visits);

}  // namespace plait::mapping
