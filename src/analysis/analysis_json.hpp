// SPDX-License-Identifier: BSD-3-Clause
// analysis.json: an analysis with names in place of indices (docs/schemas/analysis-1.schema.json).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"

namespace plait::analysis {

/// Version of docs/schemas/analysis-1.schema.json.
inline constexpr const char* kAnalysisSchema = "plait-analysis";
inline constexpr int kAnalysisVersion = 1;

/// How call sites and OpenMP regions are called: "solve (cg.c:120)".
struct Places {
  std::vector<std::string> sites;  ///< by Trace::sites; fewer: the others are unknown
};

/// @throws nothing; places that are missing are "unknown place".
nlohmann::json to_json(const Analysis& analysis, const trace::Trace& trace, const Places& places);

/// A root cause in plain words: "rank 2 computes 0.50 s longer in region 'solve' (solver.c:41): the
/// others wait 1.48 s for it".
std::string cause_sentence(const RootCause& cause, const trace::Trace& trace, const Places& places);

}  // namespace plait::analysis
