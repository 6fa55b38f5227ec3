// SPDX-License-Identifier: BSD-3-Clause
// From ranks on cores to a plan, and from what was seen of a run back to whether it kept to it.
#pragma once

#include <string>
#include <vector>

#include "launch/plan.hpp"
#include "machine/topology.hpp"
#include "map/placement.hpp"
#include "map/placing.hpp"

namespace plait::launch {

/// The plan that puts ranks to these places: bound, OpenMP's threads each on one of the rank's
/// cores (or hardware threads).
/// @param hosts  names of the nodes, at least as many as the placing has; "" for the only one
Plan plan_of(const map::Placing& placing, const map::Intent& intent, const machine::Topology& node,
             const std::vector<std::string>& hosts);

/// Refuses a plan that binds ranks of this node to hardware threads that it does not have.
/// @param host  name of this node
/// @throws Error that names the first such rank.
void check_places(const Plan& plan, const machine::Topology& node, const std::string& host);

/// A rank that does not run where its plan has it.
struct PlaceDifference {
  int rank = 0;
  RankPlaces asked;
  std::string node;      ///< where it was seen; empty: not seen at all
  machine::CpuSet seen;  ///< all hardware threads on which its threads may run
};

/// The ranks that are not where the plan has them: on another node, or with other hardware threads
/// allowed to their threads together. Ranks that the plan does not bind count by node only; a node
/// without a name is any.
std::vector<PlaceDifference> differences(const Plan& plan, const map::PlacementInput& seen);

/// One line on whether a run kept to its plan: "All 4 ranks ran where the plan has them", or which
/// did not.
std::string plan_sentence(const Plan& plan, const std::vector<PlaceDifference>& differences);

/// The finding of a run that did not keep to its plan: id "places_differ".
map::PlacementFinding places_finding(const Plan& plan,
                                     const std::vector<PlaceDifference>& differences);

}  // namespace plait::launch
