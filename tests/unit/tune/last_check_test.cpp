// SPDX-License-Identifier: BSD-3-Clause
// The last check of a platform's settings, with a made-up clock.
#include "tune/last_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace plait::tune {
namespace {

LastCheck check_of(std::size_t kinds, double budget_s, double pair_s = 0) {
  return {std::vector<LastCheck::Kind>(kinds), budget_s, pair_s};
}

/// Runs the check as long as it wants to, with pairs that take a time. @return what is spent then
double spent_after(LastCheck& check, double spent_s, double pair_s, bool disturbed = false) {
  while (const auto at = next_kind(check, spent_s)) {
    ++check.kinds[*at].pairs;
    if (!disturbed) check.kinds[*at].ratios.push_back(1);
    check.longest_pair_s = std::max(check.longest_pair_s, pair_s);
    spent_s += pair_s;
  }
  return spent_s;
}

TEST(LastCheck, HasThreePairsOfEachKindIfTheBudgetSuffices) {
  LastCheck check = check_of(2, 100);
  EXPECT_DOUBLE_EQ(spent_after(check, searching_budget_s(100), 2), 85 + 12);
  for (const LastCheck::Kind& kind : check.kinds) EXPECT_EQ(kind.ratios.size(), 3U);
}

TEST(LastCheck, EndsWithinTheBudgetRoundByRound) {
  for (const double pair_s : {0.5, 1.0, 4.0, 7.0}) {
    LastCheck check = check_of(20, 60, pair_s);
    EXPECT_LE(spent_after(check, searching_budget_s(60), pair_s), 60) << pair_s;
    const auto [least, most] =
        std::ranges::minmax_element(check.kinds, {}, &LastCheck::Kind::pairs);
    EXPECT_LE(most->pairs - least->pairs, 1);
    EXPECT_EQ(is_complete(check), least->pairs > 0);
  }
}

TEST(LastCheck, EndsBesideOtherPrograms) {
  LastCheck check = check_of(2, 1000);
  EXPECT_DOUBLE_EQ(spent_after(check, 0, 2, true), 24);
  EXPECT_FALSE(is_complete(check));
}

TEST(LastCheck, FindsWhatIsSlowerInAllPairs) {
  LastCheck check{{{1, {1}}, {0, {}}}, 10};
  EXPECT_FALSE(is_complete(check));
  check.kinds[1].ratios = {0.9, 1.1};
  EXPECT_TRUE(is_complete(check));
  EXPECT_EQ(slower_kind(check, 0.05), std::nullopt);
  check.kinds[1].ratios = {0.9, 0.94};
  EXPECT_EQ(slower_kind(check, 0.05), 1U);
}

}  // namespace
}  // namespace plait::tune
