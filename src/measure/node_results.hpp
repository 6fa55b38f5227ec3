// SPDX-License-Identifier: BSD-3-Clause
// Converts the results of the probe on several nodes to the figures of the machine file.
#pragma once

#include <string>

#include "machine/measured.hpp"
#include "measure/node_plan.hpp"
#include "measure/probe_output.hpp"

namespace plait::measure {

/// Adds the figures of a run to `measured`, and missing paths.
/// @param setting  of the run, as a user types it; empty: the default
void add_node_figures(const NodePlan& plan, const ProbeOutput& output, const std::string& setting,
                      machine::Measured& measured);

/// Removes the figures that add_node_figures adds.
void remove_node_figures(machine::Measured& measured);

}  // namespace plait::measure
