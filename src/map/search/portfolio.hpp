// SPDX-License-Identifier: BSD-3-Clause
// The candidates for a mapping, the best of them, and how many pairs may still be looked at.
#pragma once

#include <string>
#include <vector>

#include "map/search/problem.hpp"

namespace plait::map {

/// Whether a score is better by the goal; ties are broken by the other figures.
bool better(const Score& a, const Score& b, Goal goal);

class Portfolio {
public:
  /// Begins with the observed mapping.
  explicit Portfolio(const Problem& problem);

  /// Refines a partition into nodes and enters it, with the time since `since` (steady clock, s).
  void enter(const std::string& method, std::vector<int> node_of, double since);
  /// Enters slots as they are.
  void enter_slots(const std::string& method, std::vector<int> slot_of, double since);

  [[nodiscard]] const std::vector<int>& best_slots() const { return best_slots_; }
  [[nodiscard]] const std::string& best_method() const { return best_method_; }
  /// Pairs that the refinement of one more candidate may look at.
  [[nodiscard]] double share() const;

  MappingResult result() const;

private:
  const Problem& problem_;
  std::vector<std::vector<int>> seen_;  ///< partitions as they came
  std::vector<Candidate> candidates_;
  std::vector<int> best_slots_;
  std::string best_method_ = "observed";
  Score best_;
};

/// Seconds on the steady clock.
double clock_s();

}  // namespace plait::map
