// SPDX-License-Identifier: BSD-3-Clause
// The samples of a run by the phases of its trace, and the hottest function of each phase.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json.hpp"
#include "samples/on_trace.hpp"

namespace plait::report {

/// The phases of an analysis.
/// @throws nlohmann::json::exception when a field is missing or of another type.
std::vector<samples::SampledPhase> sampled_phases(const nlohmann::json& analysis);

/// Counts the samples by the phases of an analysis (analysis.json), and adds to each phase the
/// function in which most of its samples in code are ("hottest"; null: it has none).
/// @param begin_ns  the begin of the run on the trace's clock
/// @return true if that changed the tree or the analysis
bool add_phase_samples(samples::TracedSamples& of_run, std::int64_t begin_ns,
                       nlohmann::json& analysis);

}  // namespace plait::report
