// SPDX-License-Identifier: BSD-3-Clause
// An analysis in plain words: its verdict and a sentence for each cause.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace plait::report {

/// A cause of analysis.json as a sentence without a full stop: "rank 2 computes 500 ms longer in
/// region 'solve', before main (solver.c:41): ranks 0, 1 and 3 wait 1.48 s for it".
/// @param cpu_taken_fraction  of the run, as in its profile
std::string cause_sentence(const nlohmann::json& cause, double cpu_taken_fraction);

/// Fills "verdict" and every cause's "sentence", by the other fields.
void add_words(nlohmann::json& analysis);

}  // namespace plait::report
