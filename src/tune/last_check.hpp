// SPDX-License-Identifier: BSD-3-Clause
// The last check of a platform's settings: all messages with all winners together, in the rest of
// the budget. Runs nothing itself.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace plait::tune {

/// Pairs of runs without and with all settings.
struct LastCheck {
  /// Of one kind of messages.
  struct Kind {
    int pairs = 0;               ///< that ran, also beside other programs
    std::vector<double> ratios;  ///< old time / new time of those that count
  };
  std::vector<Kind> kinds;
  double budget_s = 0;        ///< of the whole tuning
  double longest_pair_s = 0;  ///< until now
};

/// What the searches may spend of a budget, so that the last check has time.
double searching_budget_s(double budget_s);

/// The kind of messages whose pair comes next: one pair of each kind, then the next one of each.
/// @param spent_s  of the budget
/// @return nothing if all have run, or another pair would probably exceed the budget
std::optional<std::size_t> next_kind(const LastCheck& check, double spent_s);

/// True if each kind of messages has been measured.
bool is_complete(const LastCheck& check);

/// The first kind of messages that is slower in all of its pairs, by more than a share of its time.
std::optional<std::size_t> slower_kind(const LastCheck& check, double share);

}  // namespace plait::tune
