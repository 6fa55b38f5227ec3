// SPDX-License-Identifier: BSD-3-Clause
// A mapping as a plan and in a launcher's words: plait map --emit.
#pragma once

#include <string>
#include <vector>

#include "cli/map_nodes.hpp"
#include "launch/plan.hpp"
#include "report/mapping.hpp"
#include "report/profile.hpp"

namespace plait::cli {

/// What --emit takes.
std::vector<std::string> emit_words();

/// The mapping as a plan: each process a rank on its node.
launch::Plan plan_of(const report::MappingReport& report, const MapNodes& nodes);

/// Writes plan.json and what the launcher needs into a folder; their names and the command go into
/// the report.
/// @param kind     one of emit_words()
/// @param program  to start; empty: that of the run
/// @param profile  of the run that was mapped, or null
/// @throws Error when there is no program or this launcher cannot do it.
void emit(const std::string& kind, const std::string& folder, const launch::Plan& plan,
          const std::vector<std::string>& program, const report::Profile* profile,
          report::MappingReport& report);

}  // namespace plait::cli
