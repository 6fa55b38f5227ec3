// SPDX-License-Identifier: BSD-3-Clause
// plait tune: finds settings of the MPI library with which a program is faster, and proves them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/duration.hpp"
#include "base/environment.hpp"
#include "base/failure.hpp"
#include "base/figure_in_text.hpp"
#include "base/secrets.hpp"
#include "base/subprocess.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cli/run_options.hpp"
#include "cli/tune_platform.hpp"
#include "machine/machine_file.hpp"
#include "plait/error.hpp"
#include "report/finish.hpp"
#include "report/page.hpp"
#include "run/other_programs.hpp"
#include "run/output_folder.hpp"
#include "run/timed_run.hpp"
#include "tune/emit.hpp"
#include "tune/execute.hpp"
#include "tune/tune_file.hpp"
#include "tune/tune_lines.hpp"
#include "tune/tune_page.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

struct TuneOptions {
  std::vector<std::string> command;
  std::string run;
  std::string budget;
  std::optional<double> time_limit_s;
  double least_gain_percent = 1;
  std::string time_from;
  bool same_output = false;
  bool dry_run = false;
  std::string resume;
  std::string output;
  std::string keep = "plait-plan.json";
  std::vector<std::string> emit;
  bool json = false;
  PlatformOptions platform;
};

bool is_run(const std::string& text) {
  return fs::exists(fs::path(text) / "run.json");
}

void print_lines(const std::vector<std::string>& lines, std::FILE* to) {
  for (const std::string& line : lines) fmt::print(to, "{}\n", line);
}

/// @throws Error when a command that was read from a file has a secret.
void refuse_masked(const std::string& input, const std::vector<std::string>& command) {
  const bool masked = std::ranges::any_of(
      command, [](const std::string& text) { return text.find(kMask) != text.npos; });
  if (!masked) return;
  throw Error(input, "its command holds a secret, which is not stored",
              "start again with the command, and pass the secret in the environment");
}

/// The profile of the run that was given; without one, of a run of the command.
/// @param folder  of the tuning; empty: nothing may be kept
report::Profile profile_of(tune::Tuning& tuning, const fs::path& folder) {
  if (tuning.run.empty()) {
    run::RunRequest request;
    request.command = tuning.command;
    request.output = folder / "profile";
    tuning.run = request.output.string();
    fmt::print(stderr, "plait: profiling the program\n");
    const run::RunResult result = run::timed_run(request);
    if (result.interrupted_by) throw Interrupted(*result.interrupted_by);
    if (result.exit_code != 0) {
      throw Failure("the original command",
                    fmt::format("ended with exit code {}", result.exit_code),
                    fmt::format("its output is in {}", tuning.run));
    }
  }
  return report::open_run(tuning.run);
}

/// A tuning of which nothing has run. @param folder  as profile_of() takes it
tune::Tuning planned_tuning(const TuneOptions& options, const fs::path& folder,
                            tune::Registry& registry) {
  tune::Tuning tuning;
  tuning.created = machine::utc_now();
  tuning.host = host_name();
  tuning.run = options.run;
  tuning.command = options.command;
  if (tuning.command.empty()) {
    tuning.command = report::open_run(options.run).command;
    refuse_masked(options.run, tuning.command);
  }
  const launcher::LaunchCommand command = launcher::understand_command(tuning.command);
  tuning.launcher = command.launcher;
  tune::check_forms(options.emit, tuning.launcher.kind);
  registry = tune::read_registry(tuning.launcher);
  registry.own = tune::own_ways(command);
  tuning.tool = registry.tool;
  tuning.time_from = options.time_from;
  tuning.same_output = options.same_output;
  tuning.limit_s = options.time_limit_s;
  tuning.search.rules.least_gain = options.least_gain_percent / 100;
  const report::Profile profile = profile_of(tuning, folder);
  if (profile.world_size < 1) {
    throw Error(tuning.run, "no rank of an MPI program was recorded until its end",
                "tune a program that uses MPI");
  }
  tuning.list =
      tune::candidates_of(profile, registry, run::allowed_cpus(), tuning.search.rules.least_gain,
                          tune::measured_violations(tuning.launcher));
  tune::leave_out_given(registry, tuning.command, tuning.list);
  tune::leave_out_quarantined(registry, run::quarantined(), tuning.list);
  tuning.ranks = profile.world_size;
  tune::decide_on_probes(tuning, command);
  return tuning;
}

/// A tuning that was interrupted or whose budget was used up.
tune::Tuning resumed_tuning(const TuneOptions& options, tune::Registry& registry) {
  tune::Tuning tuning = tune::load_tuning(options.resume);
  if (!options.command.empty() || !options.run.empty()) {
    throw Error("--resume", "a tuning that is resumed keeps its command",
                "leave the command out, or start another tuning");
  }
  refuse_masked(options.resume, tuning.command);
  const launcher::Launcher now = launcher::understand_command(tuning.command).launcher;
  if (tuning.host != host_name() || now.version != tuning.launcher.version ||
      now.kind != tuning.launcher.kind) {
    throw Error(
        options.resume,
        fmt::format("was made on {} with {}", tuning.host, launcher::mpi_title(tuning.launcher)),
        "start another tuning here");
  }
  if (options.budget.empty() && tune::result_of(tuning.search).out_of_budget) {
    throw Error(options.resume, "its budget is used up", "give more time with --budget");
  }
  tune::check_forms(options.emit, now.kind);
  registry = tune::read_registry(now);
  return tuning;
}

using WrittenFiles = std::vector<std::pair<std::string, std::string>>;

WrittenFiles write_plan(const TuneOptions& options, const tune::Tuning& tuning,
                        const tune::Registry& registry, const fs::path& folder) {
  WrittenFiles files;
  if (tune::result_of(tuning.search).verdict != tune::Verdict::won) return files;
  const launcher::Plan plan = tune::chosen_plan(tuning, registry);
  launcher::save_plan(options.keep, plan);
  files.emplace_back("Plan:", options.keep);
  const WrittenFiles more = tune::emit(plan, options.emit, folder);
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

/// Writes tune.html beside tune.json.
void write_tune_page(const tune::Tuning& tuning, const tune::Registry& registry,
                     const fs::path& folder, const WrittenFiles& files) {
  std::optional<launcher::Plan> plan;
  if (tune::result_of(tuning.search).verdict == tune::Verdict::won) {
    plan = tune::chosen_plan(tuning, registry);
  }
  const nlohmann::json value =
      tune::tune_page(tuning, plan ? &*plan : nullptr, tune::next_command(tuning, folder, files));
  const std::string left_out = report::write_page({{"tuning", value}}, folder / "tune.html");
  if (!left_out.empty()) fmt::print(stderr, "plait: {}\n", left_out);
}

void refuse_small_budget(const tune::Tuning& tuning) {
  if (!tuning.search.budget_s || tuning.search.spent_s < *tuning.search.budget_s) return;
  if (tune::runs_of(tuning.search) > 0) return;
  throw Error("--budget", "too small for one pair of runs", "give more time");
}

int run_platform(const TuneOptions& options) {
  if (!options.command.empty() || !options.run.empty() || !options.resume.empty()) {
    throw Error("--platform", "tunes without a program", "leave the command and the run out");
  }
  std::optional<double> budget_s;
  if (!options.budget.empty()) budget_s = parse_duration(options.budget);
  return tune_platform(options.platform, options.output, budget_s, options.json);
}

int run_tuning(const TuneOptions& options) {
  tune::Registry registry;
  const bool resumed = !options.resume.empty();
  fs::path folder = resumed ? fs::absolute(options.resume) : fs::path();
  if (!options.time_from.empty()) figure_expression("--time-from", options.time_from);
  std::optional<double> budget_s;
  if (!options.budget.empty()) budget_s = parse_duration(options.budget);
  if (!resumed && !(options.dry_run && !options.run.empty())) {
    const std::string program =
        options.command.empty()
            ? fs::path(options.run).filename().string()
            : launcher::understand_command(options.command).applications.front().argv.front();
    folder = run::make_output_folder(options.output, "plait-tunings", program);
  }
  tune::Tuning tuning =
      resumed ? resumed_tuning(options, registry) : planned_tuning(options, folder, registry);
  if (budget_s) {
    tuning.search.budget_from_s = tuning.search.spent_s;
    tuning.search.budget_s = tuning.search.spent_s + *budget_s;
  }
  if (options.dry_run) {
    if (options.json) {
      print_json(tune::tune_to_json(tuning));
    } else {
      print_lines(tune::candidate_lines(tuning), stdout);
    }
    return 0;
  }
  print_lines(tune::candidate_lines(tuning), stderr);
  std::optional<int> signal;
  if (tuning.list.candidates.empty()) {
    tuning.state = tune::TuningState::finished;
    tune::save_tuning(folder, tuning);
  } else {
    signal =
        tune::execute(tuning, registry, folder,
                      [](const tune::Tuning& of, const tune::Contest& contest, int pair) {
                        fmt::print(stderr, "plait: {}\n", tune::progress_line(of, contest, pair));
                      });
  }
  if (!signal) refuse_small_budget(tuning);
  const WrittenFiles files =
      signal ? WrittenFiles{} : write_plan(options, tuning, registry, folder);
  write_tune_page(tuning, registry, folder, files);
  if (options.json) {
    print_json(tune::tune_to_json(tuning));
  } else {
    print_lines(tune::result_lines(tuning, folder, files), stdout);
  }
  if (signal) throw Interrupted(*signal);
  return tune::result_of(tuning.search).verdict == tune::Verdict::won ? 0 : 1;
}

void check_arguments(const Command& command, const TuneOptions& options) {
  const std::vector<std::string>& unread = command.unread;
  if (unread.size() > 1 && unread[0] != "--" && unread[1] == "--") {
    throw Error(unread[0], "not a run directory", "give a directory that plait run has written");
  }
  if (options.resume.empty() && options.run.empty()) require_program(command);
}

}  // namespace

void add_tune(Command& plait) {
  const auto options = std::make_shared<TuneOptions>();
  Command& command = plait.add_command(
      "tune", "Find settings of the MPI library with which a program is faster", group::decide);
  command.describe(
      "Reads from a profile which messages, collective operations and waiting the program has, and "
      "tries the settings that can matter there, most promising first. Only values that are known "
      "to be legal are tried.");
  command.describe(
      "Each setting runs in turn with the original command, in pairs. Settings that seem faster "
      "are combined, and the best combination is confirmed on new runs. The exit code is 0 if a "
      "plan was kept, otherwise 1.");
  command.argument("RUN", options->run, "Run directory with the profile (default: a new run)")
      .only_if(is_run)
      .completes(Complete::folder);
  command.option("--budget", "TIME", options->budget,
                 "End after this much time in runs: 90s, 30min, 2h; with --resume, this much more");
  command
      .option("--time-limit", "SECONDS", options->time_limit_s, kSeconds,
              "Stop a run after this many seconds")
      .defaults_to("10 times the first run, at least 10 s");
  command
      .option("--least-gain", "PERCENT", options->least_gain_percent, {0.01, 100},
              "Smallest gain to look for")
      .defaults_to("1");
  command.option(
      "--time-from", "REGEX", options->time_from,
      "Find the time in the program's output with this regular expression: 'elapsed ([0-9.]+)'");
  command.flag("--same-output", options->same_output,
               "Require identical standard output in all runs");
  command.flag("--dry-run", options->dry_run, "Print what would be tried, and why");
  command
      .option("--resume", "FOLDER", options->resume,
              "Go on with a tuning that was interrupted or whose budget was used up")
      .excludes("--output")
      .excludes("--dry-run")
      .excludes("--time-limit")
      .excludes("--least-gain")
      .excludes("--time-from")
      .excludes("--same-output")
      .completes(Complete::folder);
  command.option("-o,--output", "FOLDER", options->output, "Folder for the result and the runs")
      .defaults_to("plait-tunings/APP-TIME")
      .completes(Complete::folder);
  command.option("--keep", "FILE", options->keep, "Write the plan to this file if it is faster")
      .defaults_to("plait-plan.json")
      .completes(Complete::file);
  command
      .list("--emit", "FORM", options->emit, "",
            "Also write the settings for a shell (env), or as files that Open MPI reads "
            "(mca-params, rules) or MPICH (rules); may be repeated")
      .choices(tune::kForms);
  command.flag("--json", options->json, "Print the result as JSON");
  add_platform_options(command, options->platform);
  command.takes_program(options->command, false);
  command.example("plait tune -- mpiexec -n 4 ./app");
  command.example("plait tune --budget 30min --time-from 'elapsed ([0-9.]+)' -- mpiexec -n 4 app");
  command.example("plait tune --dry-run plait-runs/app");
  command.example("plait tune --platform --ranks-per-node 2,4");
  command.action([&command, options] {
    if (options->platform.wanted) return run_platform(*options);
    check_arguments(command, *options);
    return run_tuning(*options);
  });
}

}  // namespace plait::cli
