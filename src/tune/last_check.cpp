// SPDX-License-Identifier: BSD-3-Clause
// The last check of a platform's settings: all messages with all winners together, in the rest of
// the budget. Runs nothing itself.
#include "tune/last_check.hpp"

#include <algorithm>

namespace plait::tune {
namespace {

/// Pairs that show whether all settings together make messages slower.
constexpr std::size_t kEnoughPairs = 3;
/// Other programs may disturb so many pairs in all.
constexpr int kMostPairs = 6;
constexpr double kSearchingShare = 0.85;

}  // namespace

double searching_budget_s(double budget_s) {
  return kSearchingShare * budget_s;
}

std::optional<std::size_t> next_kind(const LastCheck& check, double spent_s) {
  if (spent_s + check.longest_pair_s > check.budget_s) return std::nullopt;
  std::optional<std::size_t> next;
  for (std::size_t at = 0; at < check.kinds.size(); ++at) {
    const LastCheck::Kind& kind = check.kinds[at];
    if (kind.ratios.size() >= kEnoughPairs || kind.pairs >= kMostPairs) continue;
    if (!next || kind.pairs < check.kinds[*next].pairs) next = at;
  }
  return next;
}

bool is_complete(const LastCheck& check) {
  return std::ranges::none_of(check.kinds, [](const auto& kind) { return kind.ratios.empty(); });
}

std::optional<std::size_t> slower_kind(const LastCheck& check, double share) {
  const auto slower = std::ranges::find_if(check.kinds, [&](const LastCheck::Kind& kind) {
    return !kind.ratios.empty() && std::ranges::max(kind.ratios) < 1 - share;
  });
  if (slower == check.kinds.end()) return std::nullopt;
  return static_cast<std::size_t>(slower - check.kinds.begin());
}

}  // namespace plait::tune
