// SPDX-License-Identifier: BSD-3-Clause
// Decides which settings to run next, and which have won: screening, proof, combination and
// confirmation in pairs of runs. Runs nothing itself.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics.hpp"

namespace plait::tune {

/// How many pairs of runs each stage may take, and what counts as a gain.
struct SearchRules {
  int screening_pairs = 2;    ///< twice as many from the second round on
  int proving_pairs = 6;      ///< in the first round, with the screening's; also for a combination
  int confirming_pairs = 24;  ///< in the first round
  int most_rounds = 6;
  double least_gain = 0.01;   ///< of the time; smaller gains are not looked for
  double least_screened = 1;  ///< ratio in the screening above which a candidate is proven
  /// Probability of reporting a gain although no candidate is faster. Only the confirmation uses
  /// it: it looks at one choice, on runs that had no part in it, so the number of candidates does
  /// not matter. If more budget leads to another choice, the confirmations of both share it.
  double error_rate = 0.01;
};

enum class Stage { screening, proving, combining, confirming };

/// Pairs of runs of two sets of settings. Sets are indices of candidates, ascending; empty: the
/// original command.
struct Contest {
  Stage stage = Stage::screening;
  std::vector<int> before, after;
  std::vector<std::array<double, 2>> pairs;  ///< {before, after} in seconds
  int disturbed = 0;    ///< pairs that do not count; like the others, limited over all stages
  std::string failure;  ///< how a run with `after` ended; empty: well
  /// Pairs of runs of a probe, which takes the place of the program in the screening.
  std::vector<std::array<double, 2>> probes = {};

  bool operator==(const Contest&) const = default;
};

struct Search {
  std::vector<std::string> groups;  ///< of each candidate; those of a group exclude each other
  /// Of each candidate: the share of the program's time that its probe stands for. 0, or too short:
  /// it is screened on the program.
  std::vector<double> probed_shares;
  SearchRules rules;
  std::vector<Contest> contests;
  std::optional<double> budget_s;  ///< for all runs
  double spent_s = 0;              ///< in runs until now
  double budget_from_s = 0;        ///< spent when the budget was given
  /// Each further round doubles the pairs of the proof and of the confirmation, for what is
  /// undecided. Rounds begin as long as there is budget left; without a budget there is one.
  int round = 1;
};

/// The contest that needs one more pair of runs. Adds it to the search if it is a new one, and
/// moves candidates to the next stage.
/// @return nothing if the search is over
std::optional<std::size_t> next_pair(Search& search);

/// How a search ended, or where it is.
enum class Verdict {
  unfinished,   ///< also if the budget ended
  nothing,      ///< no candidate was faster
  undecided,    ///< none was faster for certain; more pairs may show that one is
  unconfirmed,  ///< some seemed faster, but the confirmation does not show it
  won,
};

struct SearchResult {
  Verdict verdict = Verdict::unfinished;
  std::vector<int> chosen;              ///< what was confirmed, or was to be
  std::size_t pairs = 0;                ///< of the confirmation
  std::optional<MedianInterval> ratio;  ///< old time / new time in the confirmation
  bool out_of_budget = false;           ///< only for this reason did it not go on
  std::vector<int> undecided;           ///< candidates that seemed faster, best first
  bool may_be_faster = false;           ///< one of them, or the choice: more pairs may show it
};

SearchResult result_of(const Search& search);

/// How many pairs a stage takes at most in this round.
int most_pairs(const Search& search, Stage stage);

/// True if a candidate was faster in its pairs, but too unsteadily to count as proven.
bool is_undecided(const Search& search, const Contest& contest);

/// True if a candidate was faster in the proof in nearly all pairs.
bool is_proven(const Search& search, const Contest& contest);

/// The contest of a candidate alone; null if it was not tried.
const Contest* contest_of(const Search& search, int candidate);

/// True if a candidate was fast enough in the screening to be proven on the program.
bool is_promising(const Search& search, const Contest& contest);

/// Before / after of each pair.
std::vector<double> ratios_of(const std::vector<std::array<double, 2>>& pairs);

/// Median of before / after; 1 without pairs.
double median_ratio(const Contest& contest);

/// True if the next pair of a contest is one of a probe.
bool is_next_a_probe(const Search& search, const Contest& contest);

/// Old time / new time of a program of which this share becomes faster by this ratio.
double ratio_of_program(double ratio, double share);

/// The number of runs of probes.
std::size_t probes_of(const Search& search);

/// The number of runs that counted or were disturbed.
std::size_t runs_of(const Search& search);

/// Evidence that more than half of all pairs are wins: the mean likelihood ratio of win
/// probabilities between 1/2 and 1 against 1/2. If 1/2 is true, it ever exceeds 1/a with
/// probability a at most, so it may be looked at after each pair (Ville's inequality; Robbins,
/// Statistical methods related to the law of the iterated logarithm, 1970).
double evidence(int wins, int losses);

}  // namespace plait::tune
