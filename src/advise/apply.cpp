// SPDX-License-Identifier: BSD-3-Clause
// Runs a program with and without a plan in turn, and keeps the plan if it is faster.
#include "advise/apply.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdio>

#include "advise/observed.hpp"
#include "advise/plan_quarantine.hpp"
#include "advise/slurm_job.hpp"
#include "advise/trial_command.hpp"
#include "base/json_file.hpp"
#include "base/split.hpp"
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

/// Observes the first run with the plan, and judges whether it followed the plan.
void observe(const launcher::LaunchCommand& command, const fs::path& folder, ApplyReport& report,
             TrialRequest& request) {
  if (!can_be_seen(report.plan)) return;
  try {
    const fs::path records = folder / "records";
    fs::create_directories(records);
    request.observed = trial_command(report.plan, command, "after", folder, records, nullptr);
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

/// Puts the plan's settings that end the job into quarantine, so that they are not tried again.
void quarantine(const TrialCommand& after, const launcher::LaunchCommand& command,
                ApplyReport& report) {
  const auto& failure = report.trials.failure;
  if (!failure || failure->command == 0) return;
  report.quarantined = quarantine_settings(
      {report.plan, command, after, failure->outcome, report.folder, report.trials.limit_s});
}

TrialRequest trials_of(const ApplyRequest& options, const TrialCommand& before,
                       const TrialCommand& after, const fs::path& folder,
                       launcher::LauncherKind kind) {
  TrialRequest request = trial_request(options.time_from, kind);
  request.commands = {before, after};
  request.folder = folder;
  request.most_pairs = options.repeat;
  if (options.time_limit_s > 0) request.time_limit_s = options.time_limit_s;
  request.same_output = options.same_output;
  request.progress = [most = options.repeat](const std::string& name, int pair, double seconds) {
    const std::string which = pair == 0     ? "warm-up"
                              : pair > most ? fmt::format("pair {}, for a disturbed one", pair)
                                            : fmt::format("pair {} of {}", pair, most);
    fmt::print(stderr, "plait: {}, {}: {}\n", which, name, format_seconds(seconds));
  };
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
  const TrialCommand after =
      trial_command(report.plan, command, "after", folder, {}, &report.notes);
  report.before = request.command;
  report.after = whole_command(after);
  TrialRequest trials = trials_of(request, before, after, folder, command.launcher.kind);
  observe(command, folder, report, trials);
  report.trials = run_trials(trials);
  if (report.trials.interrupted_by) return report;
  quarantine(after, command, report);
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
