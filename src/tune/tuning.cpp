// SPDX-License-Identifier: BSD-3-Clause
// The state of a tuning: what is tuned, the candidates, their runs and the result.
#include "tune/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/statistics.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/units.hpp"

namespace plait::tune {
namespace {

std::string ratio_text(const MedianInterval& ratio) {
  return format_interval(ratio.median, ratio.low, ratio.high, format_ratio);
}

/// A setting whose pairs do not agree.
std::string seemed_faster(const Tuning& tuning, const Contest& contest) {
  const std::vector<double> ratios = ratios_of(contest.pairs);
  const auto [low, high] = std::ranges::minmax(ratios);
  return fmt::format("{} was {} times as fast ({} to {} in {})", names_of(tuning, contest.after),
                     format_ratio(median(ratios)), format_ratio(low), format_ratio(high),
                     counted(ratios.size(), "pair"));
}

std::size_t tried(const Tuning& tuning) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < tuning.list.candidates.size(); ++i) {
    if (contest_of(tuning.search, static_cast<int>(i)) != nullptr) ++count;
  }
  return count;
}

}  // namespace

void prepare_search(Tuning& tuning) {
  tuning.search.groups.clear();
  tuning.search.probed_shares.clear();
  for (const Candidate& candidate : tuning.list.candidates) {
    const bool probed = tuning.probed && !candidate.probe.empty();
    tuning.search.groups.push_back(candidate.group);
    tuning.search.probed_shares.push_back(probed ? candidate.probe_share : 0);
  }
}

std::string names_of(const Tuning& tuning, const std::vector<int>& candidates) {
  std::string names;
  for (const int candidate : candidates) {
    names += (names.empty() ? "" : "; ") +
             tuning.list.candidates[static_cast<std::size_t>(candidate)].name;
  }
  return names;
}

launcher::Plan chosen_plan(const Tuning& tuning, const Registry& registry) {
  const SearchResult result = result_of(tuning.search);
  std::vector<const Candidate*> together;
  for (const int candidate : result.chosen) {
    together.push_back(&tuning.list.candidates[static_cast<std::size_t>(candidate)]);
  }
  launcher::Plan plan = plan_of(registry, together);
  plan.source = tuning.run;
  if (result.ratio) {
    plan.reason =
        fmt::format("Measured: {} times as fast in {} of runs that had no part in the choice.",
                    ratio_text(*result.ratio), counted(result.pairs, "pair"));
  }
  return plan;
}

std::string verdict_of(const Tuning& tuning) {
  const SearchResult result = result_of(tuning.search);
  const std::string seen =
      result.ratio ? fmt::format(" ({} times as fast)", ratio_text(*result.ratio)) : "";
  const std::string all = counted(tuning.list.candidates.size(), "setting");
  if (tuning.list.candidates.empty()) {
    return "Nothing to gain: no setting of the MPI library can matter to this program.";
  }
  switch (result.verdict) {
    case Verdict::won:
      return fmt::format(
          "{} times as fast with {}, confirmed in {} of runs that had no part in the choice.",
          ratio_text(*result.ratio), names_of(tuning, result.chosen),
          counted(result.pairs, "pair"));
    case Verdict::nothing:
      return fmt::format("Nothing to gain: none of {} made the program {} faster; all were tried.",
                         all, format_percent(tuning.search.rules.least_gain, Zeros::dropped));
    case Verdict::undecided:
      return fmt::format(
          "Undecided: none of {} was faster for certain; {}.", all,
          seemed_faster(tuning, *contest_of(tuning.search, result.undecided.front())));
    case Verdict::unconfirmed:
      return fmt::format("{}: {} seemed faster, but {} of new runs do not confirm it{}.",
                         result.may_be_faster ? "Undecided" : "Nothing to gain",
                         names_of(tuning, result.chosen), counted(result.pairs, "pair"), seen);
    case Verdict::unfinished:
      break;
  }
  return fmt::format(
      "Not finished: {} of {} tried{}.{}", tried(tuning), all,
      result.chosen.empty()
          ? ""
          : fmt::format("; {} seemed faster, not yet confirmed in {} of new runs{}",
                        names_of(tuning, result.chosen), counted(result.pairs, "pair"), seen),
      result.out_of_budget ? " The budget is used up: --resume with --budget goes on." : "");
}

}  // namespace plait::tune
