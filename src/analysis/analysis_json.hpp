// SPDX-License-Identifier: BSD-3-Clause
// An analysis as JSON, with names in place of indices (docs/schemas/analysis-1.schema.json).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"

namespace plait::analysis {

inline constexpr const char* kAnalysisSchema = "plait-analysis";
inline constexpr int kAnalysisVersion = 1;

/// The analysis as JSON. Where the schema asks for words ("verdict", a cause's "sentence") they are
/// empty, and "cpu_taken_fraction", which only a profile knows, is 0: the report fills them.
/// @param sites  how call sites are called, by Trace::sites: "solve (cg.c:120)"
nlohmann::json to_json(const Analysis& analysis, const trace::Trace& trace,
                       const std::vector<std::string>& sites);

}  // namespace plait::analysis
