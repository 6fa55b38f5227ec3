// SPDX-License-Identifier: BSD-3-Clause
// The command of a trial that starts a program by a plan.
#include "advise/trial_command.hpp"

#include <utility>

#include "advise/observed.hpp"
#include "base/json_file.hpp"
#include "launcher/command_options.hpp"

namespace plait::advise {

TrialCommand trial_command(const launcher::Plan& plan, const launcher::LaunchCommand& command,
                           const std::string& name, const std::filesystem::path& folder,
                           const std::filesystem::path& records, std::vector<std::string>* notes) {
  launcher::PlannedCommand by_plan = launcher::command_of(plan, command, folder);
  for (const auto& [file, content] : by_plan.files) write_text_file(folder / file, content);
  if (notes != nullptr) *notes = by_plan.notes;
  TrialCommand result{name, std::move(by_plan.argv), {}};
  if (records.empty() && needs_records(plan)) result.records = folder / (name + ".d") / "records";
  const Assignments loaded = preloads(plan, command, records.empty() ? result.records : records);
  for (const auto& [variable, value] : loaded) by_plan.environment[variable] = value;
  result.environment.assign(by_plan.environment.begin(), by_plan.environment.end());
  if (!loaded.empty() && command.launcher.kind != launcher::LauncherKind::none) {
    const launcher::LaunchCommand whole =
        launcher::parse_command(command.launcher, result.argv, command.launcher_index);
    result.argv = launcher::exporting_command(whole, loaded);
  }
  return result;
}

std::vector<std::string> whole_command(const TrialCommand& command) {
  std::vector<std::string> argv;
  if (!command.environment.empty()) argv.emplace_back("env");
  for (const auto& [name, value] : command.environment) argv.push_back(name + "=" + value);
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  return argv;
}

}  // namespace plait::advise
