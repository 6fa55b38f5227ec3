// SPDX-License-Identifier: BSD-3-Clause
// Findings that follow from the figures of a profile.
#pragma once

#include <vector>

#include "report/profile.hpp"

namespace plait::report {

/// Load imbalance, idle OpenMP threads, serial parts, waiting for a CPU, tiny messages, barriers,
/// and the limits of the profile itself (functions not recorded, lost calls, overhead). Considers
/// the findings that the profile already has: a loss that the placement explains is not reported
/// twice.
/// @param profile  complete except for these findings, the verdict and the next command
std::vector<Finding> findings_of(const Profile& profile);

/// True for findings that work is divided unevenly, or not at all, among ranks or threads.
bool is_in_the_program(const Finding& finding);

/// Sets the measured cost of findings on the placement, and their severity where it follows from
/// it.
void weigh_placement(Profile& profile);

/// Sorts findings by severity. Among equals, those come first that threads of the run share CPUs,
/// then waiting for a CPU, then others about cores, then the most expensive. Stable.
void sort_findings(std::vector<Finding>& findings);

}  // namespace plait::report
