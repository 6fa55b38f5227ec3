// SPDX-License-Identifier: BSD-3-Clause
// A placement as text: a sentence and a table.
#pragma once

#include <string>
#include <vector>

#include "machine/topology.hpp"
#include "placement/placement.hpp"

namespace plait::placement {

/// "4 ranks x 8 threads on 32 of 128 cores, 4 of 16 caches, 2 of 8 NUMA domains of HOST."
std::string placement_sentence(const Placement& placement, const machine::Topology& node,
                               const std::string& host);

/// A placed rank with the name of its node, and of its program in a job of several.
struct NamedSpot {
  std::string node;
  std::string program;
  RankSpot spot;
};

/// One line per rank: rank, node, program, cores, hardware threads, last cache, NUMA domain.
/// @param ranks  in rank order
std::string placement_table(const std::vector<NamedSpot>& ranks, const machine::Topology& node);

}  // namespace plait::placement
