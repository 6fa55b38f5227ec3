// SPDX-License-Identifier: BSD-3-Clause
// Simulated annealing by exchanges of two slots: finds what no exchange of two parts finds.
#pragma once

#include <cstdint>
#include <vector>

#include "map/search/problem.hpp"

namespace plait::map {

/// How an annealing runs.
struct Schedule {
  std::int64_t trials = 0;  ///< exchanges looked at
  double hot = 1;           ///< temperature at the beginning, in mean losses of an exchange
  unsigned seed = 1;
};

/// Anneals which node each process is on; the best partition met, by the problem's aim. Every
/// exchange is of two slots, one of which may be idle, so that no node is ever over its capacity.
std::vector<int> anneal_nodes(const Problem& problem, const std::vector<int>& node_of,
                              const Schedule& schedule);

/// Anneals slots for the sum of weights times distance; the best met. Takes memory for the distance
/// of every two slots.
std::vector<int> anneal_distance(const Problem& problem, const std::vector<int>& slot_of,
                                 const Schedule& schedule);

}  // namespace plait::map
