// SPDX-License-Identifier: BSD-3-Clause
// Makes a plan from ranks on cores, and checks whether a run followed its plan.
#pragma once

#include <string>
#include <vector>

#include "launcher/plan.hpp"
#include "machine/topology.hpp"
#include "placement/placement.hpp"
#include "placement/placement_check.hpp"

namespace plait::launcher {

/// The plan that binds ranks to these places, and each OpenMP thread to one of its rank's cores (or
/// hardware threads).
/// @param hosts  names of the nodes, at least as many as the placement has; "" for the only one
Plan plan_of(const placement::Placement& placement, const placement::Intent& intent,
             const machine::Topology& node, const std::vector<std::string>& hosts);

/// Refuses a plan that binds ranks on this node to hardware threads that the node does not have.
/// @param host  name of this node
/// @throws Error that names the first such rank.
void check_places(const Plan& plan, const machine::Topology& node, const std::string& host);

/// A rank that did not run where its plan puts it.
struct PlaceDifference {
  int rank = 0;
  std::string program;  ///< of a plan with parts
  RankPlaces asked;
  std::string node;      ///< where it was seen; empty: not seen at all
  machine::CpuSet seen;  ///< all hardware threads on which its threads may run
};

/// The ranks that are not where the plan puts them: on another node, or with threads that may run
/// on other hardware threads. For ranks that the plan does not bind, only the node counts. A node
/// without a name matches any node.
std::vector<PlaceDifference> differences(const Plan& plan, const placement::PlacementInput& seen);

/// One line on whether a run followed its plan: "All 4 ranks ran where the plan puts them", or
/// which did not.
std::string plan_sentence(const Plan& plan, const std::vector<PlaceDifference>& differences);

/// The finding of a run that did not follow its plan: id "places_differ".
placement::PlacementFinding places_finding(const Plan& plan,
                                           const std::vector<PlaceDifference>& differences);

}  // namespace plait::launcher
