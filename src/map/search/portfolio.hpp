// SPDX-License-Identifier: BSD-3-Clause
// The candidates for a mapping: the most promising are refined, the best is kept.
#pragma once

#include <cstdint>
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

  /// Enters a partition into nodes as a start. @param since  of clock_s(), when its making began
  void enter(const std::string& method, std::vector<int> node_of, double since);

  /// Refines the starts, the most promising first, while pairs may be looked at.
  void refine_best();
  /// Anneals the best partitions of small problems.
  void anneal_best();
  /// Improves the best mappings inside their nodes, and by exchanges between all slots.
  void arrange_best();

  [[nodiscard]] MappingResult result() const;

private:
  /// A partition into nodes and what it reached.
  struct Start {
    std::string method;
    std::vector<int> node_of;
    Rating rating;
    double seconds = 0;
  };

  void rate(const std::string& method, std::vector<int> slot_of, double seconds);
  /// The best starts refined so far, best first, of different partitions.
  [[nodiscard]] std::vector<const Start*> best_refined(std::size_t most) const;

  const Problem& problem_;
  double visits_left_;
  std::vector<Start> starts_;
  std::vector<Start> refined_;
  std::vector<Candidate> candidates_;
  std::vector<int> best_slots_;
  std::string best_method_ = "observed";
  Score best_;
  double best_distance_ = 0;  ///< by Problem::distance, where slots of a node differ
};

/// Seconds of CPU that this thread had: what others run beside it does not count.
double clock_s();

}  // namespace plait::map
