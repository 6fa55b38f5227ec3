// SPDX-License-Identifier: BSD-3-Clause
// Settings that are meant to make an MPI progress while a program computes; all are tried.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launch/quarantine.hpp"

namespace plait::measure {

/// A way to make messages move while the program computes.
struct ProgressSetting {
  std::string typed;                                             ///< as one types it, or what it is
  std::vector<std::pair<std::string, std::string>> environment;  ///< of every rank
  bool poll = false;  ///< a thread of the program tests its messages
};

/// The library's own asynchronous progress, where it has one, and a thread of the program's own,
/// which works with any.
std::vector<ProgressSetting> progress_settings(launch::LauncherKind kind);

/// Those that are not in quarantine under this MPI.
/// @param left_out  gets a sentence for each of the others
std::vector<ProgressSetting> not_quarantined(const std::vector<ProgressSetting>& settings,
                                             const launch::Launcher& launcher,
                                             const std::vector<launch::Quarantined>& quarantine,
                                             std::vector<std::string>& left_out);

/// Puts a setting under which the probe hung into quarantine. @throws Error when it cannot be
/// written.
void quarantine_setting(const ProgressSetting& setting, const launch::Launcher& launcher,
                        double limit_s, const std::vector<std::string>& command);

}  // namespace plait::measure
