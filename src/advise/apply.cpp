// SPDX-License-Identifier: BSD-3-Clause
// Runs a program with and without a plan in turn, and keeps the plan if it is faster.
#include "advise/apply.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdio>

#include "advise/observed.hpp"
#include "advise/slurm_job.hpp"
#include "base/failure.hpp"
#include "base/figure_in_text.hpp"
#include "base/json_file.hpp"
#include "base/secrets.hpp"
#include "base/split.hpp"
#include "base/subprocess.hpp"
#include "launcher/command_options.hpp"
#include "launcher/plan_placement.hpp"
#include "machine/discover.hpp"
#include "plait/error.hpp"
#include "run/output_folder.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/units.hpp"

namespace plait::advise {
namespace {

namespace fs = std::filesystem;

/// The plan of the file, with the settings that were given beside it.
launcher::Plan plan_of(const ApplyRequest& options, launcher::LauncherKind kind) {
  launcher::Plan plan;
  if (!options.plan.empty()) plan = on_job_around(launcher::load_plan(options.plan));
  for (const std::string& assignment : options.set) {
    const std::size_t equals = assignment.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw Error("--set", fmt::format("\"{}\" is not a setting", assignment), "use NAME=VALUE");
    }
    plan.environment[assignment.substr(0, equals)] = assignment.substr(equals + 1);
  }
  for (const std::string& text : options.options) {
    for (const std::string& part : split_at_blanks(text)) plan.launcher_options.push_back(part);
    plan.only_for = kind;
  }
  if (options.plan.empty()) {
    const std::vector<std::string> settings = run::settings_of(plan);
    if (settings.empty() && plan.environment.empty()) {
      throw Error(
          "no plan to apply; give a plan file (plait advise writes them), --set or --option");
    }
    plan.name = fmt::format("{}", fmt::join(settings, " "));
  }
  return plan;
}

/// The command according to a plan; its files are written into the folder.
/// @param records  as preloads() takes it
TrialCommand planned(const launcher::Plan& plan, const launcher::LaunchCommand& command,
                     const std::string& name, const fs::path& folder, const fs::path& records,
                     std::vector<std::string>* notes) {
  launcher::PlannedCommand by_plan = launcher::command_of(plan, command, folder);
  for (const auto& [file, content] : by_plan.files) write_text_file(folder / file, content);
  if (notes != nullptr) *notes = by_plan.notes;
  TrialCommand result{name, std::move(by_plan.argv), {}};
  result.environment.assign(by_plan.environment.begin(), by_plan.environment.end());
  const Assignments loaded = preloads(plan, command, records);
  result.environment.insert(result.environment.end(), loaded.begin(), loaded.end());
  if (!loaded.empty() && command.launcher.kind != launcher::LauncherKind::none) {
    const launcher::LaunchCommand whole =
        launcher::parse_command(command.launcher, result.argv, command.launcher_index);
    result.argv = launcher::exporting_command(whole, loaded);
  }
  return result;
}

/// Observes the first run with the plan, and judges whether it followed the plan.
void observe(const launcher::LaunchCommand& command, const fs::path& folder, ApplyReport& report,
             TrialRequest& request) {
  if (!can_be_seen(report.plan)) return;
  try {
    const fs::path records = folder / "records";
    fs::create_directories(records);
    request.observed = planned(report.plan, command, "after", folder, records, nullptr);
  } catch (const Error& error) {
    report.notes.push_back(std::string("cannot check whether the run follows the plan: ") +
                           error.what());
    return;
  }
  request.judge_observed = [&command, folder, &report]() -> std::string {
    const SeenOfPlan seen = look_at(report.plan, command, folder);
    report.seen = seen.sentence;
    return seen.kept ? "" : seen.sentence;
  };
}

std::vector<std::string> whole_command(const TrialCommand& command) {
  std::vector<std::string> argv;
  if (!command.environment.empty()) argv.emplace_back("env");
  for (const auto& [name, value] : command.environment) argv.push_back(name + "=" + value);
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  return argv;
}

void refuse_quarantined(const launcher::Plan& plan, const launcher::Launcher& launcher) {
  const auto found = run::quarantined_in(run::quarantined(), launcher, run::settings_of(plan));
  if (found.empty()) return;
  throw Failure(fmt::format("{}", fmt::join(found.front().settings, " ")),
                "in quarantine: " + run::quarantine_sentence(found.front()),
                fmt::format("leave it out, or remove it from quarantine: plait doctor --forget {}",
                            found.front().id));
}

/// One setting of a plan by itself.
launcher::Plan with_setting_alone(const launcher::Plan& plan, const std::string& setting) {
  launcher::Plan alone = plan;
  alone.environment.clear();
  alone.launcher_options.clear();
  for (const auto& [name, value] : plan.environment) {
    if (name.starts_with("OMP_") || name + "=" + value == setting) alone.environment[name] = value;
  }
  if (setting.starts_with('-')) alone.launcher_options = split_at_blanks(setting);
  return alone;
}

bool is_the_setting(const run::JobOutcome& outcome) {
  return outcome.kind == run::Outcome::hung || outcome.kind == run::Outcome::crashed ||
         outcome.kind == run::Outcome::refused;
}

/// Settings that end a job, how it ended, and the command that shows it.
struct Culprit {
  std::vector<std::string> settings;
  run::JobOutcome outcome;
  std::vector<std::string> command;
};

/// The plan's settings that fail by themselves; all together if none does.
std::vector<Culprit> culprits(const launcher::Plan& plan, const launcher::LaunchCommand& command,
                              const run::JobOutcome& together, const ApplyReport& report) {
  const std::vector<std::string> settings = run::settings_of(plan);
  std::vector<Culprit> found;
  for (std::size_t at = 0; settings.size() > 1 && at < settings.size(); ++at) {
    fmt::print(stderr, "plait: trying this setting alone: {}\n", settings[at]);
    const fs::path folder = fs::path(report.folder) / fmt::format("alone-{}", at + 1);
    fs::create_directories(folder);
    const TrialCommand alone =
        planned(with_setting_alone(plan, settings[at]), command, "alone", folder, {}, nullptr);
    const TrialRun run = run_once(alone, folder, "1", report.trials.limit_s);
    if (run.interrupted_by) throw Interrupted(*run.interrupted_by);
    const run::JobOutcome& outcome = run.outcome;
    if (is_the_setting(outcome)) found.push_back({{settings[at]}, outcome, whole_command(alone)});
  }
  if (found.empty()) found.push_back({settings, together, report.after});
  return found;
}

/// Puts the plan's settings that end the job into quarantine, so that they are not tried again.
void quarantine_settings(const launcher::Plan& plan, const launcher::LaunchCommand& command,
                         ApplyReport& report) {
  const auto& failure = report.trials.failure;
  if (!failure || failure->command == 0 || !is_the_setting(failure->outcome) ||
      run::settings_of(plan).empty()) {
    return;
  }
  for (const Culprit& culprit : culprits(plan, command, failure->outcome, report)) {
    run::Quarantined entry;
    entry.mpi = launcher::kind_name(command.launcher.kind);
    entry.version = command.launcher.version;
    entry.host = host_name();
    entry.settings = culprit.settings;
    entry.what = culprit.outcome;
    entry.command = masked_arguments(culprit.command);
    report.quarantined.push_back(run::put_into_quarantine(entry));
  }
}

TrialRequest trials_of(const ApplyRequest& options, const TrialCommand& before,
                       const TrialCommand& after, const fs::path& folder,
                       launcher::LauncherKind kind) {
  TrialRequest request;
  request.commands = {before, after};
  request.folder = folder;
  request.most_pairs = options.repeat;
  if (options.time_limit_s > 0) request.time_limit_s = options.time_limit_s;
  request.same_output = options.same_output;
  if (!options.time_from.empty()) {
    request.time_of = [expression = figure_expression("--time-from", options.time_from)](
                          const std::string& output) { return figure_in(output, expression); };
  }
  request.progress = [most = options.repeat](const std::string& name, int pair, double seconds) {
    const std::string which = pair == 0     ? "warm-up"
                              : pair > most ? fmt::format("pair {}, for a disturbed one", pair)
                                            : fmt::format("pair {} of {}", pair, most);
    fmt::print(stderr, "plait: {}, {}: {}\n", which, name, format_seconds(seconds));
  };
  // A job that a daemon starts is not ours, so nothing distinguishes its use from that of others.
  if (kind != launcher::LauncherKind::slurm) {
    request.others = [](const TrialRun& run) { return run.other_cpus; };
  }
  request.decided = [](const std::vector<std::array<double, 2>>& seconds) {
    return compare_pairs(seconds, kEarlyConfidence) != Comparison::undecided;
  };
  return request;
}

/// Writes the plan that won, with what was measured added to its reason.
void keep_plan(const ApplyRequest& options, ApplyReport& report) {
  launcher::Plan kept = report.plan;
  const MedianInterval ratio = paired_ratio(report.trials.seconds);
  kept.reason +=
      fmt::format("{}Measured: {} times as fast in {} pairs.", kept.reason.empty() ? "" : " ",
                  format_interval(ratio.median, ratio.low, ratio.high, format_ratio),
                  report.trials.seconds.size());
  launcher::save_plan(options.keep, kept);
  report.kept_file = options.keep;
}

}  // namespace

std::optional<MedianInterval> predicted_ratio(const launcher::Plan& plan) {
  if (!plan.before || !plan.after || plan.after->seconds <= 0 || plan.after->low <= 0 ||
      plan.after->high <= 0) {
    return std::nullopt;
  }
  return MedianInterval{plan.before->seconds / plan.after->seconds,
                        plan.before->low / plan.after->high, plan.before->high / plan.after->low,
                        true};
}

ApplyReport apply(const ApplyRequest& request) {
  const launcher::LaunchCommand command = launcher::understand_command(request.command);
  ApplyReport report;
  report.plan = plan_of(request, command.launcher.kind);
  report.plan_file = request.plan;
  report.same_output = request.same_output;
  report.timed = request.time_from.empty() ? "the whole command" : "the program's own time";
  if (!report.plan.places.empty()) {
    launcher::check_places(report.plan, machine::discover_local().topology, host_name());
  }
  refuse_quarantined(report.plan, command.launcher);
  const fs::path folder = run::make_output_folder(request.output, "plait-applies",
                                                  command.applications.front().argv.front());
  report.folder = folder.string();
  const TrialCommand before{"before", request.command, {}};
  const TrialCommand after = planned(report.plan, command, "after", folder, {}, &report.notes);
  report.before = request.command;
  report.after = whole_command(after);
  TrialRequest trials = trials_of(request, before, after, folder, command.launcher.kind);
  observe(command, folder, report, trials);
  report.trials = run_trials(trials);
  if (report.trials.interrupted_by) return report;
  quarantine_settings(report.plan, command, report);
  report.comparison = compare_pairs(report.trials.seconds, kConfidence);
  if (!report.trials.disturbed.empty()) {
    report.notes.push_back(fmt::format(
        "{} of runs left out: other programs used the CPUs in one run and not in the other",
        counted(report.trials.disturbed.size(), "pair")));
  }
  report.won = !report.trials.failure && report.comparison == Comparison::faster;
  if (report.won) keep_plan(request, report);
  return report;
}

}  // namespace plait::advise
