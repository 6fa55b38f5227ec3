// SPDX-License-Identifier: BSD-3-Clause
// Settings that should make messages progress during computation; plait measure tries all.
#include "measure/progress_settings.hpp"

#include <fmt/format.h>

#include "base/environment.hpp"
#include "launcher/launcher_traits.hpp"

namespace plait::measure {
namespace {

std::vector<std::string> assignments_of(const ProgressSetting& setting) {
  std::vector<std::string> assignments;
  for (const auto& [name, value] : setting.environment) assignments.push_back(name + "=" + value);
  return assignments;
}

}  // namespace

std::vector<ProgressSetting> progress_settings(launcher::LauncherKind kind) {
  std::vector<ProgressSetting> settings;
  const launcher::AsyncProgress own = launcher::traits_of(kind).async_progress();
  if (!own.option.empty()) settings.push_back({own.option, {{own.name, own.value}}, false});
  settings.push_back({"a communicating thread", {}, true});
  return settings;
}

std::vector<ProgressSetting> not_quarantined(const std::vector<ProgressSetting>& settings,
                                             const launcher::Launcher& launcher,
                                             const std::vector<run::Quarantined>& quarantine,
                                             std::vector<std::string>& left_out) {
  std::vector<ProgressSetting> tried;
  for (const ProgressSetting& setting : settings) {
    const auto found = run::quarantined_in(quarantine, launcher, assignments_of(setting));
    if (found.empty()) {
      tried.push_back(setting);
      continue;
    }
    left_out.push_back(
        fmt::format("{} and is in quarantine, so it is not measured; to try it again, run plait "
                    "doctor --forget {}",
                    run::quarantine_sentence(found.front()), found.front().id));
  }
  return tried;
}

void quarantine_setting(const ProgressSetting& setting, const launcher::Launcher& launcher,
                        double limit_s, const std::vector<std::string>& command) {
  run::Quarantined entry;
  entry.mpi = launcher::kind_name(launcher.kind);
  entry.version = launcher.version;
  entry.host = host_name();
  entry.settings = assignments_of(setting);
  if (entry.settings.empty()) return;
  entry.what.kind = run::Outcome::hung;
  entry.what.limit_s = limit_s;
  entry.command = command;
  run::put_into_quarantine(entry);
}

}  // namespace plait::measure
