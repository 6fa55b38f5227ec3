// SPDX-License-Identifier: BSD-3-Clause
// The counters of a run by the phases of its trace.
#pragma once

#include <vector>

#include "base/json.hpp"
#include "report/resources.hpp"
#include "trace/trace.hpp"

namespace plait::report {

/// Adds to each phase of an analysis what the counters counted in it, by rank and with figures that
/// follow ("counters"); nothing if no readings over time were kept. Between two readings, counts
/// are divided evenly.
/// @param job      whose trace was analysed
/// @param machine  whose memory bandwidth is a bound; may be null
void add_phase_counters(const Job& job, const trace::Trace& trace,
                        const machine::MachineFile* machine, nlohmann::json& analysis);

}  // namespace plait::report
