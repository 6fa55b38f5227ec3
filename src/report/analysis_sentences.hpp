// SPDX-License-Identifier: BSD-3-Clause
// The verdict of a trace analysis and a sentence for each cause of waiting.
#pragma once

#include <cstddef>
#include <string>

#include "base/json.hpp"

namespace plait::report {

/// The number of ranks whose events an analysis.json is based on; more may be in the job.
std::size_t traced_ranks(const nlohmann::json& analysis);

/// A cause of analysis.json as a sentence without a full stop: "rank 2 computes 500 ms longer in
/// region 'solve', before main (solver.c:41): ranks 0, 1 and 3 wait 1.48 s for it".
std::string cause_sentence(const nlohmann::json& cause);

/// Sets "verdict" and the "sentence" of every cause from the other fields.
/// @param analysis  an analysis.json
void add_sentences(nlohmann::json& analysis);

}  // namespace plait::report
