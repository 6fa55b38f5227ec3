// SPDX-License-Identifier: BSD-3-Clause
// Turns what the probe found on several nodes into what the machine file holds.
#pragma once

#include <string>

#include "machine/measured.hpp"
#include "measure/node_plan.hpp"
#include "measure/probe_output.hpp"

namespace plait::measure {

/// Adds the figures of a run to `measured`. Paths that it lacks are added.
/// @param setting  under which the run was made, as one types it; empty: the default
void add_node_figures(const NodePlan& plan, const ProbeOutput& output, const std::string& setting,
                      machine::Measured& measured);

/// Takes out what add_node_figures adds.
void remove_node_figures(machine::Measured& measured);

}  // namespace plait::measure
