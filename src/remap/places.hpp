// SPDX-License-Identifier: BSD-3-Clause
// The places of a node to which ranks may be moved: sets of the cores that their launcher gave
// them.
#pragma once

#include <string>
#include <vector>

#include "machine/topology.hpp"

namespace plait::remap {

/// Cores for some ranks. With fewer cores than ranks, several ranks share a place.
struct Place {
  std::vector<int> cores;  ///< core ids, ascending
  int least = 0;           ///< ranks that it must have, so that no core is idle while others share
  int most = 1;            ///< ranks that it may have
  friend bool operator==(const Place&, const Place&) = default;
};

/// What a rank got from its launcher.
struct Binding {
  std::vector<int> cores;  ///< on which it may run, ascending
  int threads = 1;
};

struct Places {
  /// The places. The last one may be where unbound ranks are at first: all cores, `most` = 0.
  std::vector<Place> all;
  std::vector<int> now;  ///< place of each rank
  std::string refused;   ///< why no rank can be moved, and the remedy; empty: some can
};

/// The places of a job on a node.
/// - Each rank is bound: ranks may change places with each other; no rank gets other cores than
///   those that the launcher gave to some rank.
/// - No rank is bound, and there are cores for all threads: sets of as many cores as a rank has
///   threads, more than there are ranks where cores are left.
/// - No rank is bound, and there are fewer cores: the cores of a cache, NUMA domain or package,
/// each
///   for its share of the ranks (Henriksen 2008, table 7.2).
/// @param bindings  of the ranks of this job on the node
Places places_of(const machine::Topology& node, const std::vector<Binding>& bindings);

}  // namespace plait::remap
