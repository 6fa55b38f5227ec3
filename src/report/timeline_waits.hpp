// SPDX-License-Identifier: BSD-3-Clause
// What each event waited, from the wait states of the analysis.
#pragma once

#include "analysis/wait_states.hpp"
#include "report/timeline.hpp"

namespace plait::report {

/// How long an event lies in its call's wait state. Refers to its arguments: they must live on.
WaitOfEvent wait_of_events(const trace::Trace& trace, const analysis::Lanes& lanes,
                           const analysis::Waits& waits);

}  // namespace plait::report
