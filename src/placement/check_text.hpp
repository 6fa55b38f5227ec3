// SPDX-License-Identifier: BSD-3-Clause
// The result of a placement check as text: a sentence and a table.
#pragma once

#include <string>
#include <vector>

#include "placement/placement_check.hpp"

namespace plait::placement {

/// One sentence: ranks, threads, cores, and the worst finding.
std::string check_sentence(const PlacementInput& input,
                           const std::vector<PlacementFinding>& findings);

/// Host, rank, thread, core and NUMA domain, one line per thread, as xthi prints it. Each line ends
/// with a newline.
std::string check_table(const PlacementInput& input);

}  // namespace plait::placement
