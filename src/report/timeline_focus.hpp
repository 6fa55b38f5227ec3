// SPDX-License-Identifier: BSD-3-Clause
// What matters most in a trace, for the page's timeline.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/wait_states.hpp"
#include "base/json.hpp"
#include "base/processes.hpp"
#include "report/profile.hpp"
#include "report/timeline.hpp"
#include "trace/trace.hpp"

namespace plait::report {

/// Collective. The end of the longest wait of all processes, ns; negative: there is none.
/// @param processes  null: this one alone
std::int64_t end_of_longest_wait(const analysis::Waits& waits, Processes* processes = nullptr);

/// The end of the longest wait and the middle of the phase that loses most time; the ranks that
/// cause and suffer waits, outliers, and the typical rank of each group of alike ranks.
/// @param longest_wait  see end_of_longest_wait()
/// @param analysis  the contents of analysis.json
/// @param ranks  of the profile
TimelineFocus timeline_focus(const trace::Trace& trace, std::int64_t longest_wait,
                             const nlohmann::json& analysis, const std::vector<RankRow>& ranks);

}  // namespace plait::report
