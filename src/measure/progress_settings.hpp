// SPDX-License-Identifier: BSD-3-Clause
// Settings that should make messages progress during computation; plait measure tries all.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "run/quarantine.hpp"

namespace plait::measure {

/// A way to make messages progress during computation.
struct ProgressSetting {
  std::string typed;  ///< as a user types it, or a description
  std::vector<std::pair<std::string, std::string>> environment;  ///< for every rank
  bool poll = false;  ///< a thread of the program tests its messages
};

/// The settings to try: asynchronous progress of the library, if it has that, and a communicating
/// thread of the program, which works with any library.
std::vector<ProgressSetting> progress_settings(launcher::LauncherKind kind);

/// The settings that are not in quarantine for this MPI.
/// @param left_out  gets a sentence for each of the others
std::vector<ProgressSetting> not_quarantined(const std::vector<ProgressSetting>& settings,
                                             const launcher::Launcher& launcher,
                                             const std::vector<run::Quarantined>& quarantine,
                                             std::vector<std::string>& left_out);

/// Puts a setting with which the probe hung into quarantine.
/// @param limit_s  seconds after which the probe was killed
/// @param command  the launcher command of the probe
/// @throws Error when the quarantine cannot be written.
void quarantine_setting(const ProgressSetting& setting, const launcher::Launcher& launcher,
                        double limit_s, const std::vector<std::string>& command);

}  // namespace plait::measure
