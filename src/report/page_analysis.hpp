// SPDX-License-Identifier: BSD-3-Clause
// The analysis of a trace as the page has it: of many ranks, in bins and without the long ends of
// lists.
#pragma once

#include "base/json.hpp"

namespace plait::report {

/// Shortens analysis.json for the page: the most important entries of long lists, and of more than
/// kMostPageBins ranks means of several (`last_rank`). A note says what was left out. An analysis
/// with a few ranks and short lists stays as it is, as does null.
nlohmann::json page_analysis(nlohmann::json analysis);

}  // namespace plait::report
