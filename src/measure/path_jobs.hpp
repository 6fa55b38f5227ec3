// SPDX-License-Identifier: BSD-3-Clause
// Chooses the pairs of cores to measure for each kind of path.
#pragma once

#include <vector>

#include "machine/paths.hpp"
#include "machine/topology.hpp"

namespace plait::measure {

/// The pairs to measure for one kind of path.
struct PathJob {
  machine::PathKind kind;
  int pairs_total = 0;                      ///< number of pairs of this kind in the node
  std::vector<machine::CorePair> pairs;     ///< measured one by one; all, or a sample
  std::vector<machine::CorePair> together;  ///< measured at once; they share no core
};

/// One job for each kind of path among the allowed cores, nearest first.
/// @param per_kind       most pairs to measure one by one
/// @param most_together  most pairs that communicate at once
std::vector<PathJob> plan_paths(const machine::Topology& topology, int per_kind, int most_together);

/// The numbers of pairs to measure at once: 1, 2, 4, ... and `most`.
std::vector<int> pair_counts(int most);

/// The hardware threads of a pair: the first allowed one of each core; for {c, c}, the first two of
/// core c.
std::array<int, 2> pus_of_pair(const machine::Topology& topology, const machine::CorePair& pair);

/// The topology with only the given cores allowed.
machine::Topology restricted(machine::Topology topology, const std::vector<int>& cores);

}  // namespace plait::measure
