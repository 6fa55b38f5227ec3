// SPDX-License-Identifier: BSD-3-Clause
// The candidates for a mapping: refines the most promising and keeps the best.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mapping/search/problem.hpp"

namespace plait::mapping {

/// True if score a is better than b by the goal; the other figures break ties.
bool better(const Score& a, const Score& b, Goal goal);

class Portfolio {
public:
  /// Starts with the observed mapping.
  explicit Portfolio(const Problem& problem);

  /// Adds a partition into nodes as a start.
  /// @param since  clock_s() when its computation began
  void enter(const std::string& method, std::vector<int> node_of, double since);

  /// Refines the starts, the most promising first, until half of Problem::visits is used up.
  void refine_best();
  /// Anneals the best partitions of small problems.
  void anneal_best();
  /// Improves the best mappings inside their nodes, and by exchanges between all slots.
  void arrange_best();

  [[nodiscard]] MappingResult result() const;

private:
  /// A partition into nodes and its rating.
  struct Start {
    std::string method;
    std::vector<int> node_of;
    Rating rating;
    double seconds = 0;
  };

  void rate(const std::string& method, std::vector<int> slot_of, double seconds);
  /// The best distinct partitions refined so far, best first.
  [[nodiscard]] std::vector<const Start*> best_refined(std::size_t most) const;

  const Problem& problem_;
  double visits_left_;
  std::vector<Start> starts_;
  std::vector<Start> refined_;
  std::vector<Candidate> candidates_;
  std::vector<int> best_slots_;
  std::string best_method_ = "observed";
  Score best_;
  double best_distance_ = 0;  ///< by Problem::distance, if the slots of a node differ
};

/// CPU time of this thread in seconds, so that other programs do not count.
double clock_s();

}  // namespace plait::mapping
