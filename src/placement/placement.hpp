// SPDX-License-Identifier: BSD-3-Clause
// Places ranks and their threads on the cores of nodes, according to a request.
#pragma once

#include <string>
#include <vector>

#include "machine/cpuset.hpp"
#include "machine/topology.hpp"
#include "placement/intent.hpp"

namespace plait::placement {

/// The place of one rank.
struct RankSpot {
  int node = 0;              ///< counted from 0
  machine::CpuSet pus;       ///< hardware threads, operating-system numbers
  std::vector<int> cores;    ///< ids of the cores that `pus` belong to, ascending
  bool whole_cores = false;  ///< `pus` are all hardware threads of `cores`
};

/// The places of all ranks. Nodes are alike; ranks are numbered node by node.
struct Placement {
  int nodes = 1;
  int threads = 1;
  bool shared = false;  ///< the ranks of a place may use all its cores
  std::vector<RankSpot> ranks;
  std::vector<std::string> notes;  ///< what was left out, and the defaults that were chosen
};

/// Places ranks on the part of a node that the job may use.
/// `per`: the ranks of a place start at its first core, side by side; places that are too small are
/// left out. If a place has fewer cores than ranks, or the request says "shared", each of its ranks
/// may use all its cores. Packed: in core order, each rank in as few caches and memories as
/// possible. Spread: as evenly over packages, memories and caches as their size allows.
/// @throws Error (input: the request's text) that names what would fit, when the ranks do not fit
Placement place_ranks(const Intent& intent, const machine::Topology& node, const std::string& text);

}  // namespace plait::placement
