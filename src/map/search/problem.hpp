// SPDX-License-Identifier: BSD-3-Clause
// A mapping request put in order: nodes numbered from 0, slots by node, what the search minimises.
#pragma once

#include <cstdint>
#include <vector>

#include "map/search/partition.hpp"

namespace plait::map {

struct Problem {
  /// @throws Error when the request is none that can be solved
  explicit Problem(const MappingRequest& of);

  const MappingRequest& request;
  WeightedGraph graph;
  std::vector<int> now;                      ///< slot of each process
  std::vector<int> node_of_slot;             ///< dense numbers, in the order of the request's
  std::vector<std::vector<int>> slots;       ///< of each node, in the order of its tree
  std::vector<int> capacity;                 ///< slots of each node
  std::array<double, kLevels + 1> distance;  ///< by meeting level
  bool alike_inside = true;                  ///< slots of a node differ in nothing that counts
  Aim aim = Aim::cut_then_load;
  /// Pairs that all searches together may look at: a measure of time that is the same everywhere.
  double visits = 0;

  [[nodiscard]] int processes() const { return graph.size(); }
  [[nodiscard]] int nodes() const { return static_cast<int>(slots.size()); }
  /// Nodes of processes in these slots.
  [[nodiscard]] std::vector<int> nodes_of(const std::vector<int>& slot_of) const;
  /// Sum over pairs of weight times distance.
  [[nodiscard]] double distance_of(const std::vector<int>& slot_of) const;
};

/// Slots for processes whose nodes are given. Of nodes with the same capacity those are taken that
/// leave most processes where they are; what is alike inside a node stays in its slots.
std::vector<int> slots_for(const Problem& problem, std::vector<int> node_of);

}  // namespace plait::map
