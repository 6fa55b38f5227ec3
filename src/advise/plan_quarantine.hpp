// SPDX-License-Identifier: BSD-3-Clause
// Puts the settings of a plan that ended a job into quarantine, and refuses plans that have such.
#pragma once

#include <filesystem>
#include <vector>

#include "advise/trials.hpp"
#include "launcher/plan.hpp"
#include "run/quarantine.hpp"

namespace plait::advise {

/// A run that failed with a plan.
struct FailedRun {
  const launcher::Plan& plan;
  const launcher::LaunchCommand& command;  ///< as it is without the plan
  TrialCommand tried;                      ///< as it was with the plan
  run::JobOutcome outcome;
  std::filesystem::path folder;  ///< for the output of runs that find the setting
  double limit_s = 0;            ///< of each of these runs
};

/// True for outcomes for which settings of the MPI library may be the reason.
bool is_the_setting(const run::JobOutcome& outcome);

/// Tries each setting of the plan alone if there are several, and puts those that fail by
/// themselves into quarantine; all together if none does. Nothing if the outcome has another reason
/// or the plan has no settings.
/// @throws Interrupted after a signal, Error when the quarantine cannot be written.
std::vector<run::Quarantined> quarantine_settings(const FailedRun& failed);

/// @throws Failure when settings of the plan are in quarantine.
void refuse_quarantined(const launcher::Plan& plan, const launcher::Launcher& launcher);

}  // namespace plait::advise
