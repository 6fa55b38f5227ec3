// SPDX-License-Identifier: BSD-3-Clause
// What matters most in a trace, for the page's timeline.
#pragma once

#include <vector>

#include "analysis/wait_states.hpp"
#include "base/json.hpp"
#include "report/profile.hpp"
#include "report/timeline.hpp"
#include "trace/trace.hpp"

namespace plait::report {

/// The end of the longest wait and the middle of the phase that loses most time; the ranks that
/// cause and suffer waits, outliers, and the typical rank of each group of alike ranks.
/// @param analysis  the contents of analysis.json
/// @param ranks  of the profile
TimelineFocus timeline_focus(const trace::Trace& trace, const analysis::Waits& waits,
                             const nlohmann::json& analysis, const std::vector<RankRow>& ranks);

}  // namespace plait::report
