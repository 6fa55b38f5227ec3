// SPDX-License-Identifier: BSD-3-Clause
// A mapping request prepared for the search: nodes numbered from 0, slots by node, the aim.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/search/partition.hpp"

namespace plait::mapping {

struct Problem {
  /// @throws Error when the request has no solution
  explicit Problem(const MappingRequest& of);

  const MappingRequest& request;
  WeightedGraph graph;
  std::vector<int> now;                      ///< slot of each process
  std::vector<int> node_of_slot;             ///< numbered from 0, in the order of the request
  std::vector<std::vector<int>> slots;       ///< of each node, in the order of its tree
  std::vector<int> capacity;                 ///< slots of each node
  std::array<double, kLevels + 1> distance;  ///< by meeting level
  bool alike_inside = true;                  ///< the slots of a node do not differ in distance
  Aim aim = Aim::cut_then_load;
  /// The number of pairs that all searches together may look at: a time limit that is the same on
  /// every machine.
  double visits = 0;

  [[nodiscard]] int processes() const { return graph.size(); }
  [[nodiscard]] int nodes() const { return static_cast<int>(slots.size()); }
  /// Nodes of processes in these slots.
  [[nodiscard]] std::vector<int> nodes_of(const std::vector<int>& slot_of) const;
  /// The sum over pairs of weight times distance.
  [[nodiscard]] double distance_of(const std::vector<int>& slot_of) const;
};

}  // namespace plait::mapping
