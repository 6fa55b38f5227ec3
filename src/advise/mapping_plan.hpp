// SPDX-License-Identifier: BSD-3-Clause
// Writes a mapping as a plan and as launcher options.
#pragma once

#include <string>
#include <vector>

#include "advise/mapping_nodes.hpp"
#include "launcher/plan.hpp"
#include "report/mapping.hpp"
#include "report/profile.hpp"

namespace plait::advise {

/// The targets for which a mapping can be written: "plan" and the launchers.
std::vector<std::string> emit_targets();

/// The mapping as a plan: each process a rank on its node.
launcher::Plan plan_of(const report::MappingReport& report, const MapNodes& nodes);

/// Writes plan.json and what the launcher needs into a folder; their names and the command go into
/// the report.
/// @param kind     one of emit_targets()
/// @param program  to start; empty: that of the run
/// @param profile  of the run that was mapped, or null
/// @throws Error when there is no program, or as many as the run had are not given, or this
///         launcher cannot do it.
void emit(const std::string& kind, const std::string& folder, launcher::Plan plan,
          const std::vector<std::string>& program, const report::Profile* profile,
          report::MappingReport& report);

}  // namespace plait::advise
