// SPDX-License-Identifier: BSD-3-Clause
// Which pairs of cores are measured, for each kind of path.
#pragma once

#include <vector>

#include "machine/paths.hpp"
#include "machine/topology.hpp"

namespace plait::measure {

/// What is measured of one kind of path.
struct PathJob {
  machine::PathKind kind;
  int pairs_total = 0;                      ///< how many pairs the node has of this kind
  std::vector<machine::CorePair> pairs;     ///< measured one by one: all, or a sample
  std::vector<machine::CorePair> together;  ///< pairs without a common core, for several at once
};

/// One job for each kind of path among the allowed cores, nearest first.
/// @param per_kind       how many pairs are measured one by one at most
/// @param most_together  how many pairs communicate at once at most
std::vector<PathJob> plan_paths(const machine::Topology& topology, int per_kind, int most_together);

/// Numbers of pairs at once: 1, 2, 4, ... and `most`.
std::vector<int> pair_counts(int most);

/// The hardware threads of a pair: the first of each core; of {c, c} the first two of core c.
std::array<int, 2> pus_of_pair(const machine::Topology& topology, const machine::CorePair& pair);

/// Leaves only the given cores allowed.
machine::Topology restricted(machine::Topology topology, const std::vector<int>& cores);

}  // namespace plait::measure
