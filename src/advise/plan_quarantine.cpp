// SPDX-License-Identifier: BSD-3-Clause
// Puts the settings of a plan that ended a job into quarantine, and refuses plans that have such.
#include "advise/plan_quarantine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "advise/trial_command.hpp"
#include "base/environment.hpp"
#include "base/failure.hpp"
#include "base/secrets.hpp"
#include "base/split.hpp"
#include "base/subprocess.hpp"

namespace plait::advise {
namespace {

namespace fs = std::filesystem;

/// One setting of a plan by itself.
launcher::Plan with_setting_alone(const launcher::Plan& plan, const std::string& setting) {
  launcher::Plan alone = plan;
  alone.environment.clear();
  alone.launcher_options.clear();
  for (const auto& [name, value] : plan.environment) {
    if (name.starts_with("OMP_") || name + "=" + value == setting) alone.environment[name] = value;
  }
  if (setting != "PLAIT_WAIT=" + plan.wait) alone.wait.clear();
  if (setting != "PLAIT_TRANSPORT=" + plan.transport) alone.transport.clear();
  if (setting.starts_with('-')) alone.launcher_options = split_at_blanks(setting);
  return alone;
}

/// Settings that end a job, how it ended, and the command that shows it.
struct Culprit {
  std::vector<std::string> settings;
  run::JobOutcome outcome;
  std::vector<std::string> command;
};

/// The plan's settings that fail by themselves; all together if none does.
std::vector<Culprit> culprits(const FailedRun& failed) {
  const std::vector<std::string> settings = run::settings_of(failed.plan);
  std::vector<Culprit> found;
  for (std::size_t at = 0; settings.size() > 1 && at < settings.size(); ++at) {
    fmt::print(stderr, "plait: trying this setting alone: {}\n", settings[at]);
    const fs::path folder = failed.folder / fmt::format("alone-{}", at + 1);
    fs::create_directories(folder);
    const TrialCommand alone = trial_command(with_setting_alone(failed.plan, settings[at]),
                                             failed.command, "alone", folder, {}, nullptr);
    const TrialRun run = run_once(alone, folder, "1", failed.limit_s);
    if (run.interrupted_by) throw Interrupted(*run.interrupted_by);
    const run::JobOutcome& outcome = run.outcome;
    if (is_the_setting(outcome)) found.push_back({{settings[at]}, outcome, whole_command(alone)});
  }
  if (found.empty()) found.push_back({settings, failed.outcome, whole_command(failed.tried)});
  return found;
}

}  // namespace

bool is_the_setting(const run::JobOutcome& outcome) {
  return outcome.kind == run::Outcome::hung || outcome.kind == run::Outcome::crashed ||
         outcome.kind == run::Outcome::refused;
}

std::vector<run::Quarantined> quarantine_settings(const FailedRun& failed) {
  std::vector<run::Quarantined> quarantined;
  if (!is_the_setting(failed.outcome) || run::settings_of(failed.plan).empty()) return quarantined;
  for (const Culprit& culprit : culprits(failed)) {
    run::Quarantined entry;
    entry.mpi = launcher::kind_name(failed.command.launcher.kind);
    entry.version = failed.command.launcher.version;
    entry.host = host_name();
    entry.settings = culprit.settings;
    entry.what = culprit.outcome;
    entry.command = masked_arguments(culprit.command);
    quarantined.push_back(run::put_into_quarantine(entry));
  }
  return quarantined;
}

void refuse_quarantined(const launcher::Plan& plan, const launcher::Launcher& launcher) {
  const auto found = run::quarantined_in(run::quarantined(), launcher, run::settings_of(plan));
  if (found.empty()) return;
  throw Failure(fmt::format("{}", fmt::join(found.front().settings, " ")),
                "in quarantine: " + run::quarantine_sentence(found.front()),
                fmt::format("leave it out, or remove it from quarantine: plait doctor --forget {}",
                            found.front().id));
}

}  // namespace plait::advise
