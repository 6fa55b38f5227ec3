// SPDX-License-Identifier: BSD-3-Clause
// The search for settings on made-up costs: what it finds, what it costs, and false wins.
#include "tune/search.hpp"

#include <gtest/gtest.h>

#include "made_up_costs.hpp"

namespace plait::tune {
namespace {

TEST(Search, EvidenceIsTheMeanLikelihoodRatioOfAllWinProbabilities) {
  EXPECT_DOUBLE_EQ(evidence(0, 0), 1);
  EXPECT_DOUBLE_EQ(evidence(9, 0), 1023.0 / 10);
  EXPECT_DOUBLE_EQ(evidence(1, 1), 4.0 / 6);
  EXPECT_LT(evidence(0, 5), 0.2);
}

TEST(Search, FindsNearlyTheBestCombinationInFewRuns) {
  const MadeUpProgram program = made_up_program();
  const auto [best, combinations] = program.exhaustive();
  ASSERT_EQ(combinations, 3780U);
  double gain = 0;
  constexpr int kSearches = 10;
  for (int seed = 1; seed <= kSearches; ++seed) {
    const Search search = searched(program, static_cast<std::uint64_t>(seed));
    const SearchResult result = result_of(search);
    ASSERT_EQ(result.verdict, Verdict::won) << "seed " << seed;
    gain += (1 - program.seconds(result.chosen)) / (1 - best) / kSearches;
    // The exhaustive search runs each combination once, which would prove nothing.
    EXPECT_LE(static_cast<double>(runs_of(search)), 0.1 * static_cast<double>(combinations))
        << "seed " << seed;
    ASSERT_TRUE(result.ratio.has_value());
    EXPECT_GT(result.ratio->low, 1);
  }
  EXPECT_GE(gain, 0.9);
}

TEST(Search, SeldomReportsAGainWhereNoSettingMatters) {
  const MadeUpProgram program = indifferent_program();
  int first_20 = 0, all = 0;
  for (int seed = 1; seed <= 100; ++seed) {
    const bool won =
        result_of(searched(program, static_cast<std::uint64_t>(seed))).verdict == Verdict::won;
    all += won ? 1 : 0;
    if (seed <= 20) first_20 += won ? 1 : 0;
  }
  EXPECT_LE(first_20, 1);
  EXPECT_LE(all, 3);
}

TEST(Search, ALargeBudgetDoesNotMakeFalseGainsMoreLikely) {
  const MadeUpProgram program = indifferent_program();
  int won = 0;
  for (int seed = 1; seed <= 50; ++seed) {
    const Search search = searched(program, static_cast<std::uint64_t>(seed), 0.1, 800);
    EXPECT_LT(search.spent_s, 805);
    won += result_of(search).verdict == Verdict::won ? 1 : 0;
  }
  EXPECT_LE(won, 2);
}

TEST(Search, SpendsItsBudgetOnWhatIsUndecided) {
  // A gain of 8 % in noise of 14 % of a ratio: a pair in four is a loss.
  const MadeUpProgram program{{{"a", 1}, {"b", 0.92}, {"c", 1.02}}};
  int won_soon = 0, won = 0, undecided = 0;
  constexpr int kSearches = 20;
  for (int seed = 1; seed <= kSearches; ++seed) {
    const SearchResult soon = result_of(searched(program, static_cast<std::uint64_t>(seed), 0.1));
    won_soon += soon.verdict == Verdict::won ? 1 : 0;
    undecided += soon.may_be_faster ? 1 : 0;
    const SearchResult late =
        result_of(searched(program, static_cast<std::uint64_t>(seed), 0.1, 1000));
    won += late.verdict == Verdict::won && late.chosen == std::vector<int>{1} ? 1 : 0;
  }
  EXPECT_LT(won_soon, kSearches / 4);
  EXPECT_GT(undecided, kSearches / 4);
  EXPECT_GT(won, kSearches / 2);
}

TEST(Search, IsUndecidedIfAGainIsUnsteady) {
  Search search;
  search.groups = {"a"};
  search.contests = {
      {Stage::proving, {}, {0}, {{1.2, 1}, {1.1, 1}, {0.9, 1}, {1.3, 1}, {0.9, 1}}, 0, {}}};
  EXPECT_FALSE(next_pair(search).has_value());
  const SearchResult result = result_of(search);
  EXPECT_EQ(result.verdict, Verdict::undecided);
  EXPECT_EQ(result.undecided, std::vector<int>{0});
  EXPECT_TRUE(result.may_be_faster);
  EXPECT_FALSE(result.out_of_budget);
  search.budget_s = 100;
  EXPECT_EQ(next_pair(search), std::optional<std::size_t>(0));
  EXPECT_EQ(search.round, 2);
}

TEST(Search, TriesTheMostPromisingCandidateFirstAndGivesUpSlowOnesAfterAPair) {
  Search search;
  search.groups = {"a", "b"};
  auto at = next_pair(search);
  ASSERT_TRUE(at.has_value());
  EXPECT_EQ(search.contests[*at].after, std::vector<int>{0});
  search.contests[*at].pairs.push_back({1.0, 1.5});
  at = next_pair(search);
  ASSERT_TRUE(at.has_value());
  EXPECT_EQ(search.contests[*at].after, std::vector<int>{1});
  search.contests[*at].failure = "hung, killed after 10.0 s";
  EXPECT_FALSE(next_pair(search).has_value());
  EXPECT_EQ(result_of(search).verdict, Verdict::nothing);
  EXPECT_EQ(runs_of(search), 2U);
}

TEST(Search, CandidatesWithAProbeAreScreenedOnItAndProvenOnTheProgram) {
  Search search;
  search.groups = {"a", "b"};
  search.probed_shares = {0.5, 0.01};
  std::size_t runs = 0;
  while (const auto at = next_pair(search)) {
    Contest& contest = search.contests[*at];
    const bool probes = is_next_a_probe(search, contest);
    EXPECT_EQ(probes, contest.stage == Stage::screening);
    // Both are twice as fast in the probe, but only the first one matters to the program.
    (probes ? contest.probes : contest.pairs).push_back({2.0, probes ? 1.0 : 1.5});
    if (!probes) runs += 2;
  }
  const SearchResult result = result_of(search);
  EXPECT_EQ(result.verdict, Verdict::won);
  EXPECT_EQ(result.chosen, std::vector<int>{0});
  EXPECT_EQ(runs_of(search), runs);
  EXPECT_EQ(probes_of(search), 8U);
  EXPECT_TRUE(contest_of(search, 1)->pairs.empty()) << "1 % of the time cannot become 1 % less";
  EXPECT_DOUBLE_EQ(ratio_of_program(2, 0.5), 4.0 / 3);
}

TEST(Search, EndsWithItsBudgetAndGoesOnWithMore) {
  Search search;
  search.groups = {"a"};
  search.budget_s = 10;
  search.spent_s = 10;
  EXPECT_FALSE(next_pair(search).has_value());
  EXPECT_TRUE(result_of(search).out_of_budget);
  search.budget_s = 100;
  while (const auto at = next_pair(search)) search.contests[*at].pairs.push_back({2.0, 1.0});
  const SearchResult result = result_of(search);
  EXPECT_EQ(result.verdict, Verdict::won);
  EXPECT_EQ(result.chosen, std::vector<int>{0});
  EXPECT_EQ(search.contests.size(), 2U);
  EXPECT_EQ(search.contests.back().stage, Stage::confirming);
}

/// Runs pairs of a second with these gains of candidates until the search ends.
void run_pairs(Search& search, const std::vector<double>& gains) {
  while (const auto at = next_pair(search)) {
    Contest& contest = search.contests[*at];
    const auto time = [&](const std::vector<int>& chosen) {
      double seconds = 0.5;
      for (const int candidate : chosen) seconds /= gains[static_cast<std::size_t>(candidate)];
      return seconds;
    };
    contest.pairs.push_back({time(contest.before), time(contest.after)});
    search.spent_s += 1;
  }
}

TEST(Search, MoreBudgetTriesTheOtherCandidatesBeforeItConfirms) {
  const std::vector<double> gains{1.2, 1, 1, 1.5};
  Search search;
  search.groups = {"a", "b", "c", "d"};
  search.budget_s = 8;  // screening ends after 4, the proof after 6, the confirmation after 8 pairs
  run_pairs(search, gains);
  SearchResult result = result_of(search);
  EXPECT_EQ(result.verdict, Verdict::unfinished);
  EXPECT_TRUE(result.out_of_budget);
  EXPECT_EQ(result.chosen, std::vector<int>{0});
  EXPECT_EQ(result.pairs, 2U);
  EXPECT_EQ(contest_of(search, 2), nullptr);
  search.budget_from_s = search.spent_s;
  search.budget_s = search.spent_s + 100;
  const auto at = next_pair(search);
  ASSERT_TRUE(at.has_value());
  EXPECT_EQ(search.contests[*at].after, std::vector<int>{2});
  run_pairs(search, gains);
  result = result_of(search);
  EXPECT_EQ(result.verdict, Verdict::won);
  EXPECT_EQ(result.chosen, (std::vector<int>{0, 3}));
  EXPECT_EQ(result.pairs, 9U);
  EXPECT_FALSE(result.out_of_budget);
}

TEST(Search, TriesMoreCandidatesIfNothingNeedsTheRestOfTheBudget) {
  Search search;
  search.groups = {"a", "b", "c", "d", "e", "f"};
  search.budget_s = 22;  // screening ends after 11 s, of which the first run took 10
  search.spent_s = 10;
  run_pairs(search, {0.8, 0.8, 0.8, 0.8, 0.8, 1});
  for (int candidate = 0; candidate < 6; ++candidate) {
    EXPECT_NE(contest_of(search, candidate), nullptr) << candidate;
  }
  EXPECT_EQ(result_of(search).verdict, Verdict::nothing);
  EXPECT_LT(search.spent_s, 22);
}

TEST(Search, EvidenceAgainstAnEarlierChoiceCountsAgainstALaterOne) {
  Search search;
  search.groups = {"a", "b"};
  const Contest slower{Stage::confirming, {}, {1}, {{1, 2}, {1, 2}, {1, 2}}, 0, {}};
  search.contests = {slower, {Stage::screening, {}, {1}, {{1, 2}}, 0, {}}};
  run_pairs(search, {2, 0.5});
  EXPECT_EQ(result_of(search).chosen, std::vector<int>{0});
  EXPECT_EQ(result_of(search).verdict, Verdict::won);
  // The evidence of 12 wins, 8191 / 13, times that of 3 losses, 1 / 4, is at least 100.
  EXPECT_EQ(result_of(search).pairs, 12U);
}

TEST(Search, AConfirmationThatWasInterruptedInItsFirstPairIsForgotten) {
  Search search;
  search.groups = {"a"};
  search.contests = {{Stage::proving, {}, {0}, {{1, 1}}, 0, "crashed"},
                     {Stage::confirming, {}, {0}, {}, 0, {}}};
  EXPECT_FALSE(next_pair(search).has_value());
  EXPECT_EQ(search.contests.size(), 1U);
  EXPECT_EQ(result_of(search).verdict, Verdict::nothing);
}

TEST(Search, DisturbedPairsAreRepeatedButNotForEver) {
  Search search;
  search.groups = {"a"};
  int pairs = 0;
  while (const auto at = next_pair(search)) {
    ++search.contests[*at].disturbed;
    ASSERT_LT(++pairs, 10);
  }
  EXPECT_EQ(result_of(search).verdict, Verdict::nothing);
  search.contests.front() = {Stage::screening, {}, {0}, {{2, 1}, {2, 1}}, 1, {}};
  ASSERT_TRUE(next_pair(search).has_value());
  EXPECT_EQ(search.contests.front().stage, Stage::proving);
  EXPECT_EQ(search.contests.front().disturbed, 1) << "runs have numbers of their own";
}

}  // namespace
}  // namespace plait::tune
