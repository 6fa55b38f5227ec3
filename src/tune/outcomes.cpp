// SPDX-License-Identifier: BSD-3-Clause
// What became of each setting and combination of a tuning, for the terminal and the page.
#include "tune/outcomes.hpp"

#include <algorithm>
#include <array>

#include "base/statistics.hpp"

namespace plait::tune {
namespace {

/// What became of a candidate.
std::string text_of(const Tuning& tuning, const SearchResult& result, int candidate) {
  const Contest* const contest = contest_of(tuning.search, candidate);
  if (contest == nullptr) return "not tried";
  if (!contest->failure.empty()) return contest->failure;
  const bool chosen =
      std::find(result.chosen.begin(), result.chosen.end(), candidate) != result.chosen.end();
  if (chosen) return result.verdict == Verdict::won ? "chosen" : "not confirmed";
  const bool only_probed = contest->pairs.empty();
  if (only_probed && contest->probes.empty()) return "disturbed";
  if (contest->stage == Stage::screening && !is_promising(tuning.search, *contest)) {
    if (!only_probed) return "not faster";
    return median(ratios_of(contest->probes)) > 1 ? "gains too little in the probe"
                                                  : "not faster in the probe";
  }
  if (result.verdict == Verdict::unfinished) return "not finished";
  if (contest->stage == Stage::screening) {
    return only_probed ? "not tried on the program" : "not the best";
  }
  if (is_proven(tuning.search, *contest)) return "not the best";
  if (only_probed) return "disturbed";
  if (is_undecided(tuning.search, *contest)) return "undecided";
  return median_ratio(*contest) > 1 ? "gains too little" : "not faster";
}

void add_ratio(const Contest& contest, Outcome& outcome) {
  const auto& pairs = contest.pairs.empty() ? contest.probes : contest.pairs;
  outcome.pairs = pairs.size();
  if (pairs.empty()) return;
  const std::vector<double> ratios = ratios_of(pairs);
  const auto [low, high] = std::ranges::minmax(ratios);
  outcome.ratio = {median(ratios), low, high};
}

}  // namespace

std::vector<Outcome> outcomes_of(const Tuning& tuning) {
  std::vector<Outcome> outcomes;
  const SearchResult result = result_of(tuning.search);
  for (std::size_t i = 0; i < tuning.list.candidates.size(); ++i) {
    const int candidate = static_cast<int>(i);
    Outcome outcome{tuning.list.candidates[i].name, tuning.list.candidates[i].reason};
    const Contest* const contest = contest_of(tuning.search, candidate);
    if (contest != nullptr) add_ratio(*contest, outcome);
    outcome.text = text_of(tuning, result, candidate);
    outcomes.push_back(std::move(outcome));
  }
  for (const Contest& contest : tuning.search.contests) {
    if (contest.stage != Stage::combining && contest.stage != Stage::confirming) continue;
    Outcome outcome{names_of(tuning, contest.after)};
    add_ratio(contest, outcome);
    outcome.text = contest.failure;
    if (outcome.text.empty()) {
      outcome.text = contest.stage == Stage::confirming
                         ? "confirmation"
                         : "against " + names_of(tuning, contest.before);
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace plait::tune
