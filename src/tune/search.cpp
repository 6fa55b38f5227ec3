// SPDX-License-Identifier: BSD-3-Clause
// Decides which settings to run next, and which have won: screening, proof, combination and
// confirmation in pairs of runs. Runs nothing itself.
#include "tune/search.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/paired_ratio.hpp"

namespace plait::tune {
namespace {

/// A candidate whose first pair is this much slower is not run again.
constexpr double kHopeless = 0.9;
/// From this ratio on in all pairs, a candidate needs fewer of them.
constexpr double kClear = 1.05;
constexpr int kFewestClear = 4;
/// Of a group, so many candidates leave the screening.
constexpr std::size_t kBestOfGroup = 2;

/// The share of the budget after which a stage ends, so that the next ones can still run.
double budget_share(Stage stage) {
  switch (stage) {
    case Stage::screening:
      return 0.5;
    case Stage::proving:
      return 0.65;
    case Stage::combining:
      return 0.75;
    case Stage::confirming:
      break;
  }
  return 1;
}

bool budget_ended(const Search& search, Stage stage) {
  if (!search.budget_s) return false;
  return search.spent_s - search.budget_from_s >=
         budget_share(stage) * (*search.budget_s - search.budget_from_s);
}

double ratio_of(const std::array<double, 2>& pair) {
  return pair[0] / pair[1];
}

bool is_of_one_candidate(const Contest& contest) {
  return contest.stage == Stage::screening || contest.stage == Stage::proving;
}

/// 0: it is screened on the program.
double probed_share(const Search& search, const Contest& contest) {
  if (!is_of_one_candidate(contest)) return 0;
  const auto candidate = static_cast<std::size_t>(contest.after.front());
  return candidate < search.probed_shares.size() ? search.probed_shares[candidate] : 0;
}

/// The pairs on which a candidate is screened, also those that came later.
const std::vector<std::array<double, 2>>& screened_pairs(const Search& search,
                                                         const Contest& contest) {
  return probed_share(search, contest) > 0 ? contest.probes : contest.pairs;
}

double median_of(const std::vector<std::array<double, 2>>& pairs) {
  const std::vector<double> ratios = ratios_of(pairs);
  return ratios.empty() ? 1 : median(ratios);
}

int wins_of(const Contest& contest) {
  return static_cast<int>(std::count_if(contest.pairs.begin(), contest.pairs.end(),
                                        [](const auto& pair) { return ratio_of(pair) > 1; }));
}

int losses_of(const Contest& contest) {
  return static_cast<int>(contest.pairs.size()) - wins_of(contest);
}

/// With how many losses a candidate or combination is not given up. More pairs show a gain also if
/// it is small against the noise, so that fewer of them are wins.
int most_losses(const Search& search) {
  return search.round == 1 ? 1 : most_pairs(search, Stage::proving) / 3;
}

/// What confirmations of other choices take from the evidence of this one. If no choice is faster,
/// the product of the evidence of all exceeds 1/a with probability a at most, as each one does.
double evidence_factor(const Search& search, const Contest& contest) {
  double factor = 1;
  for (const Contest& other : search.contests) {
    if (other.stage != Stage::confirming || &other == &contest) continue;
    factor *= std::min(1.0, evidence(wins_of(other), losses_of(other)));
  }
  return factor;
}

bool is_confirmed(const Search& search, const Contest& contest) {
  return contest.stage == Stage::confirming && contest.failure.empty() &&
         evidence_factor(search, contest) * evidence(wins_of(contest), losses_of(contest)) >=
             1 / search.rules.error_rate;
}

/// True if winning all pairs that are left would confirm it.
bool can_be_confirmed(const Search& search, const Contest& contest) {
  const int losses = losses_of(contest);
  if (losses > most_pairs(search, Stage::confirming)) return false;
  return evidence_factor(search, contest) *
             evidence(most_pairs(search, Stage::confirming) - losses, losses) >=
         1 / search.rules.error_rate;
}

bool all_clear(const Contest& contest) {
  return static_cast<int>(contest.pairs.size()) >= kFewestClear &&
         std::all_of(contest.pairs.begin(), contest.pairs.end(),
                     [](const auto& pair) { return ratio_of(pair) >= kClear; });
}

bool is_open(const Search& search, const Contest& contest) {
  const bool screens = contest.stage == Stage::screening;
  const auto& done = screens ? screened_pairs(search, contest) : contest.pairs;
  const int pairs = static_cast<int>(done.size());
  const int most = most_pairs(search, contest.stage);
  if (!contest.failure.empty() || pairs >= most || contest.disturbed >= most) return false;
  if (budget_ended(search, contest.stage)) return false;
  switch (contest.stage) {
    case Stage::screening:
      return pairs == 0 || median_of(done) > kHopeless;
    case Stage::proving:
    case Stage::combining:
      return losses_of(contest) <= most_losses(search) && !all_clear(contest);
    case Stage::confirming:
      break;
  }
  return !is_confirmed(search, contest) && can_be_confirmed(search, contest);
}

/// The median of the first pairs, by which the screening chooses; after probes, what they promise.
double screened_ratio(const Search& search, const Contest& contest) {
  auto first = screened_pairs(search, contest);
  const auto screening = static_cast<std::size_t>(most_pairs(search, Stage::screening));
  if (first.size() > screening) first.resize(screening);
  const double share = probed_share(search, contest);
  return share > 0 ? ratio_of_program(median_of(first), share) : median_of(first);
}

/// Contests of single candidates that are in the proof or should be: of each group those that were
/// fastest in the screening, fastest first.
std::vector<std::size_t> finalists(const Search& search) {
  std::vector<std::size_t> passed;
  for (std::size_t at = 0; at < search.contests.size(); ++at) {
    const Contest& contest = search.contests[at];
    if (is_of_one_candidate(contest) &&
        (contest.stage == Stage::proving || is_promising(search, contest))) {
      passed.push_back(at);
    }
  }
  std::stable_sort(passed.begin(), passed.end(), [&](std::size_t a, std::size_t b) {
    return screened_ratio(search, search.contests[a]) > screened_ratio(search, search.contests[b]);
  });
  std::map<std::string, std::size_t> of_group;
  std::vector<std::size_t> best;
  for (const std::size_t at : passed) {
    const auto candidate = static_cast<std::size_t>(search.contests[at].after.front());
    if (of_group[search.groups[candidate]]++ <
        kBestOfGroup * static_cast<std::size_t>(search.round))
      best.push_back(at);
  }
  return best;
}

bool is_faster(const Contest* a, const Contest* b) {
  return median_ratio(*a) > median_ratio(*b);
}

/// The candidates that won alone, one of each group, largest gain first.
std::vector<int> winners(const Search& search) {
  std::vector<const Contest*> proven;
  for (const Contest& contest : search.contests) {
    if (contest.stage == Stage::proving && is_proven(search, contest)) {
      proven.push_back(&contest);
    }
  }
  std::stable_sort(proven.begin(), proven.end(), is_faster);
  std::vector<int> best;
  for (const Contest* contest : proven) {
    const int candidate = contest->after.front();
    const auto same_group = [&](int other) {
      return search.groups[static_cast<std::size_t>(other)] ==
             search.groups[static_cast<std::size_t>(candidate)];
    };
    if (std::none_of(best.begin(), best.end(), same_group)) best.push_back(candidate);
  }
  return best;
}

std::size_t add(Search& search, Contest contest) {
  search.contests.push_back(std::move(contest));
  return search.contests.size() - 1;
}

const Contest* find_contest(const Search& search, Stage stage, const std::vector<int>& before,
                            const std::vector<int>& after) {
  const auto found =
      std::find_if(search.contests.begin(), search.contests.end(), [&](const Contest& contest) {
        return contest.stage == stage && contest.before == before && contest.after == after;
      });
  return found == search.contests.end() ? nullptr : &*found;
}

/// A contest if it needs one more pair. Begins it if necessary.
std::optional<std::size_t> open_contest(Search& search, Stage stage, const std::vector<int>& before,
                                        const std::vector<int>& after) {
  if (const Contest* const begun = find_contest(search, stage, before, after)) {
    if (!is_open(search, *begun)) return std::nullopt;
    return static_cast<std::size_t>(begun - search.contests.data());
  }
  Contest contest{stage, before, after, {}, 0, {}};
  if (!is_open(search, contest)) return std::nullopt;
  return add(search, std::move(contest));
}

std::optional<std::size_t> first_open(const Search& search, Stage stage) {
  for (std::size_t at = 0; at < search.contests.size(); ++at) {
    if (search.contests[at].stage == stage && is_open(search, search.contests[at])) return at;
  }
  return std::nullopt;
}

std::optional<std::size_t> next_in_screening(Search& search) {
  if (const auto at = first_open(search, Stage::screening)) return at;
  for (std::size_t i = 0; i < search.groups.size(); ++i) {
    const int candidate = static_cast<int>(i);
    if (contest_of(search, candidate) != nullptr) continue;
    return open_contest(search, Stage::screening, {}, {candidate});
  }
  return std::nullopt;
}

std::optional<std::size_t> next_in_proof(Search& search) {
  if (const auto at = first_open(search, Stage::proving)) return at;
  for (const std::size_t at : finalists(search)) {
    Contest& contest = search.contests[at];
    if (contest.stage == Stage::proving) continue;
    contest.stage = Stage::proving;
    if (is_open(search, contest)) return at;
  }
  return std::nullopt;
}

/// The best combination of winners until now.
struct Combination {
  std::vector<int> chosen;
  std::optional<std::size_t> next;  ///< the contest of a larger one that needs a pair
};

/// Adds winners to the best one, each if it makes the rest faster.
Combination combination(Search& search) {
  Combination so_far;
  for (const int winner : winners(search)) {
    std::vector<int> larger = so_far.chosen;
    larger.push_back(winner);
    std::sort(larger.begin(), larger.end());
    if (so_far.chosen.empty()) {
      so_far.chosen = larger;
      continue;
    }
    so_far.next = open_contest(search, Stage::combining, so_far.chosen, larger);
    if (so_far.next) return so_far;
    const Contest* const contest = find_contest(search, Stage::combining, so_far.chosen, larger);
    if (contest != nullptr && is_proven(search, *contest)) so_far.chosen = larger;
  }
  return so_far;
}

struct Next {
  std::optional<std::size_t> pair;  ///< the contest that needs one
  bool has_choice = false;          ///< there is something to confirm
};

/// The next pair as long as each stage keeps to its share of the budget.
Next next_by_shares(Search& search) {
  if (const auto at = next_in_screening(search)) return {at, false};
  if (const auto at = next_in_proof(search)) return {at, false};
  const Combination best = combination(search);
  if (best.next || best.chosen.empty()) return {best.next, false};
  return {open_contest(search, Stage::confirming, {}, best.chosen), true};
}

/// True if another round can show what this one did not.
bool has_question(const Search& search) {
  Search next = search;
  ++next.round;
  const auto tried = finalists(search).size();
  return finalists(next).size() > tried ||
         std::any_of(search.contests.begin(), search.contests.end(), [&](const Contest& contest) {
           const bool matters = contest.stage == Stage::screening || is_undecided(search, contest);
           return matters && is_open(next, contest);
         });
}

/// True if enough of the budget is left to try more settings.
bool has_rest(const Search& search) {
  constexpr double kLeastShare = 0.1;
  return search.budget_s && *search.budget_s - search.spent_s > kLeastShare * *search.budget_s;
}

bool has_begun(const Contest& contest) {
  return !contest.pairs.empty() || !contest.probes.empty() || contest.disturbed > 0 ||
         !contest.failure.empty();
}

/// The confirmation that counts: one that is successful, otherwise the last one.
const Contest* confirmation(const Search& search) {
  const Contest* last = nullptr;
  for (const Contest& contest : search.contests) {
    if (contest.stage != Stage::confirming || !has_begun(contest)) continue;
    last = &contest;
    if (is_confirmed(search, contest)) break;
  }
  return last;
}

}  // namespace

double evidence(int wins, int losses) {
  // With n = w + l pairs: 2 * integral over p from 1/2 to 1 of (2p)^w (2(1-p))^l
  // = sum over k <= w of C(n+1, k) / ((n+1) C(n, w)).
  const int pairs = wins + losses;
  double choose = 1, sum = 0, choose_wins = 1;
  for (int k = 0; k <= wins; ++k) {
    sum += choose;
    choose *= static_cast<double>(pairs + 1 - k) / (k + 1);
  }
  for (int k = 0; k < wins; ++k) choose_wins *= static_cast<double>(pairs - k) / (k + 1);
  return sum / ((pairs + 1) * choose_wins);
}

std::vector<double> ratios_of(const std::vector<std::array<double, 2>>& pairs) {
  std::vector<double> ratios;
  for (const auto& pair : pairs) ratios.push_back(ratio_of(pair));
  return ratios;
}

int most_pairs(const Search& search, Stage stage) {
  if (stage == Stage::screening) return search.rules.screening_pairs * std::min(search.round, 2);
  const int first =
      stage == Stage::confirming ? search.rules.confirming_pairs : search.rules.proving_pairs;
  return first << (search.round - 1);
}

bool is_proven(const Search& search, const Contest& contest) {
  const int pairs = static_cast<int>(contest.pairs.size());
  return contest.failure.empty() && (pairs >= search.rules.proving_pairs || all_clear(contest)) &&
         losses_of(contest) <= most_losses(search) &&
         median_ratio(contest) >= 1 + search.rules.least_gain;
}

bool is_undecided(const Search& search, const Contest& contest) {
  if (contest.pairs.empty() || !contest.failure.empty()) return false;
  const double ratio = median_ratio(contest);
  switch (contest.stage) {
    case Stage::screening:
      break;
    case Stage::proving:
    case Stage::combining:
      return ratio >= 1 + search.rules.least_gain && !is_proven(search, contest);
    case Stage::confirming:
      return ratio > 1 && !is_confirmed(search, contest);
  }
  return false;
}

bool is_promising(const Search& search, const Contest& contest) {
  const double least =
      probed_share(search, contest) > 0 ? 1 + search.rules.least_gain : search.rules.least_screened;
  return contest.failure.empty() && screened_ratio(search, contest) > least;
}

double median_ratio(const Contest& contest) {
  return median_of(contest.pairs);
}

bool is_next_a_probe(const Search& search, const Contest& contest) {
  return contest.stage == Stage::screening && probed_share(search, contest) > 0;
}

double ratio_of_program(double ratio, double share) {
  return 1 / (1 - share * (1 - 1 / ratio));
}

std::size_t probes_of(const Search& search) {
  std::size_t runs = 0;
  for (const Contest& contest : search.contests) runs += 2 * contest.probes.size();
  return runs;
}

const Contest* contest_of(const Search& search, int candidate) {
  for (const Contest& contest : search.contests) {
    if (is_of_one_candidate(contest) && contest.after.front() == candidate) return &contest;
  }
  return nullptr;
}

std::size_t runs_of(const Search& search) {
  std::size_t runs = 0;
  for (const Contest& contest : search.contests) {
    runs += 2 * (contest.pairs.size() + static_cast<std::size_t>(contest.disturbed));
  }
  return runs;
}

std::optional<std::size_t> next_pair(Search& search) {
  std::vector<Contest>& contests = search.contests;
  // Interrupted in its first pair. With more budget there may be a better choice.
  if (!contests.empty() && contests.back().stage == Stage::confirming &&
      !has_begun(contests.back())) {
    contests.pop_back();
  }
  const Contest* const confirmed = confirmation(search);
  if (confirmed != nullptr && is_confirmed(search, *confirmed)) return std::nullopt;
  Next next = next_by_shares(search);
  if (!next.pair && !next.has_choice && has_rest(search)) {
    // Nothing needs the shares of the later stages, so all stages share what is left.
    search.budget_from_s = search.spent_s;
    next = next_by_shares(search);
  }
  while (!next.pair && has_rest(search) && search.round < search.rules.most_rounds &&
         has_question(search)) {
    ++search.round;
    search.budget_from_s = search.spent_s;
    next = next_by_shares(search);
  }
  return next.pair;
}

SearchResult result_of(const Search& search) {
  SearchResult result;
  Search rest = search;
  bool goes_on = next_pair(rest).has_value();
  if (!goes_on) {
    rest = search;
    rest.budget_s.reset();
    result.out_of_budget = next_pair(rest).has_value();
    goes_on = result.out_of_budget && search.round == 1;
  }
  std::vector<const Contest*> undecided;
  for (const Contest& contest : search.contests) {
    if (is_of_one_candidate(contest) && is_undecided(search, contest))
      undecided.push_back(&contest);
  }
  std::stable_sort(undecided.begin(), undecided.end(), is_faster);
  for (const Contest* contest : undecided) result.undecided.push_back(contest->after.front());
  const Contest* const confirming = confirmation(search);
  if (confirming != nullptr) {
    result.chosen = confirming->after;
    result.pairs = confirming->pairs.size();
    if (!confirming->pairs.empty()) result.ratio = paired_ratio(confirming->pairs);
  }
  result.may_be_faster =
      !result.undecided.empty() || (confirming != nullptr && is_undecided(search, *confirming));
  if (confirming != nullptr && is_confirmed(search, *confirming)) {
    result.verdict = Verdict::won;
  } else if (!goes_on) {
    result.verdict = confirming != nullptr      ? Verdict::unconfirmed
                     : result.undecided.empty() ? Verdict::nothing
                                                : Verdict::undecided;
  }
  return result;
}

}  // namespace plait::tune
