// SPDX-License-Identifier: BSD-3-Clause
// Converts an analysis to JSON, with names instead of indices
// (docs/schemas/analysis-1.schema.json).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"

namespace plait::analysis {

inline constexpr const char* kAnalysisSchema = "plait-analysis";
inline constexpr int kAnalysisVersion = 1;

/// The analysis as JSON. The texts of the schema ("verdict", a cause's "sentence") are empty, and
/// "cpu_taken_fraction", which needs a profile, is 0; the report fills them in.
/// @param sites  names of call sites by Trace::sites, such as "solve (cg.c:120)"
nlohmann::json to_json(const Analysis& analysis, const trace::Trace& trace,
                       const std::vector<std::string>& sites);

}  // namespace plait::analysis
