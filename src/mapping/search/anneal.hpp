// SPDX-License-Identifier: BSD-3-Clause
// Simulated annealing by exchanges of two slots: escapes local optima of refine().
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/search/problem.hpp"

namespace plait::mapping {

/// The parameters of an annealing.
struct Schedule {
  std::int64_t trials = 0;  ///< exchanges to try
  double hot = 1;           ///< initial temperature, in mean losses of an exchange
  unsigned seed = 1;
};

/// Anneals the nodes of processes; returns the best partition found, by the aim of the problem.
/// Each exchange is between two slots, one of which may be idle, so no node exceeds its capacity.
std::vector<int> anneal_nodes(const Problem& problem, const std::vector<int>& node_of,
                              const Schedule& schedule);

/// Anneals slots for the sum of weight times distance; returns the best assignment found. Needs
/// memory for the distance between every two slots.
std::vector<int> anneal_distance(const Problem& problem, const std::vector<int>& slot_of,
                                 const Schedule& schedule);

}  // namespace plait::mapping
