// SPDX-License-Identifier: BSD-3-Clause
// What a profile shows to be wrong, with evidence, cost and a mend.
#pragma once

#include <vector>

#include "report/profile.hpp"

namespace plait::report {

/// Findings that follow from a profile's figures: load imbalance, waiting OpenMP threads, a CPU
/// that others held, tiny messages, barriers, and what limits the profile itself (entry points not
/// seen, lost records, the tool's own cost). Looks also at the findings already there: a placement
/// that explains a loss is not blamed twice.
std::vector<Finding> findings_of(const Profile& profile);

/// Orders findings by severity, among equals those about cores first; the order is otherwise kept.
void sort_findings(std::vector<Finding>& findings);

}  // namespace plait::report
