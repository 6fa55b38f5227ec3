// SPDX-License-Identifier: BSD-3-Clause
// Settings that are meant to make an MPI progress while a program computes; all are tried.
#include "measure/progress_settings.hpp"

#include <fmt/format.h>

#include "launch/environment.hpp"

namespace plait::measure {
namespace {

std::vector<std::string> assignments_of(const ProgressSetting& setting) {
  std::vector<std::string> assignments;
  for (const auto& [name, value] : setting.environment) assignments.push_back(name + "=" + value);
  return assignments;
}

}  // namespace

std::vector<ProgressSetting> progress_settings(launch::LauncherKind kind) {
  using launch::LauncherKind;
  std::vector<ProgressSetting> settings;
  switch (kind) {
    case LauncherKind::openmpi4:
    case LauncherKind::openmpi5:
      settings.push_back(
          {"--mca btl_tcp_progress_thread 1", {{"OMPI_MCA_btl_tcp_progress_thread", "1"}}, false});
      break;
    case LauncherKind::mpich:
      settings.push_back(
          {"MPIR_CVAR_ASYNC_PROGRESS=1", {{"MPIR_CVAR_ASYNC_PROGRESS", "1"}}, false});
      break;
    case LauncherKind::intel:
      settings.push_back({"I_MPI_ASYNC_PROGRESS=1", {{"I_MPI_ASYNC_PROGRESS", "1"}}, false});
      break;
    case LauncherKind::slurm:
    case LauncherKind::none:
      break;
  }
  settings.push_back({"a communicating thread", {}, true});
  return settings;
}

std::vector<ProgressSetting> not_quarantined(const std::vector<ProgressSetting>& settings,
                                             const launch::Launcher& launcher,
                                             const std::vector<launch::Quarantined>& quarantine,
                                             std::vector<std::string>& left_out) {
  std::vector<ProgressSetting> tried;
  for (const ProgressSetting& setting : settings) {
    const auto found = launch::quarantined_in(quarantine, launcher, assignments_of(setting));
    if (found.empty()) {
      tried.push_back(setting);
      continue;
    }
    left_out.push_back(
        fmt::format("{} and is in quarantine, so it is not measured; to try it "
                    "again: plait doctor --forget {}",
                    launch::quarantine_sentence(found.front()), found.front().id));
  }
  return tried;
}

void quarantine_setting(const ProgressSetting& setting, const launch::Launcher& launcher,
                        double limit_s, const std::vector<std::string>& command) {
  launch::Quarantined entry;
  entry.mpi = launch::kind_name(launcher.kind);
  entry.version = launcher.version;
  entry.host = launch::host_name();
  entry.settings = assignments_of(setting);
  if (entry.settings.empty()) return;
  entry.what.ending = launch::Ending::hung;
  entry.what.limit_s = limit_s;
  entry.command = command;
  launch::put_into_quarantine(entry);
}

}  // namespace plait::measure
