// SPDX-License-Identifier: BSD-3-Clause
// plait sweep: runs a program over a grid of parameters and shows how it scales.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/duration.hpp"
#include "base/environment.hpp"
#include "base/failure.hpp"
#include "base/figure_in_text.hpp"
#include "base/json_file.hpp"
#include "base/shell_word.hpp"
#include "base/subprocess.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cli/run_options.hpp"
#include "launcher/launcher.hpp"
#include "machine/machine_file.hpp"
#include "plait/error.hpp"
#include "report/page.hpp"
#include "run/other_programs.hpp"
#include "run/output_folder.hpp"
#include "sweep/collect.hpp"
#include "sweep/execute.hpp"
#include "sweep/forecast.hpp"
#include "sweep/launch.hpp"
#include "sweep/plan_lines.hpp"
#include "sweep/result_lines.hpp"
#include "sweep/slurm_jobs.hpp"
#include "sweep/sweep_csv.hpp"
#include "sweep/sweep_file.hpp"
#include "text/counted.hpp"
#include "text/units.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

struct SweepOptions {
  sweep::Grid grid;
  std::vector<std::string> over, weak, let;
  int cores = 0;  ///< 0: any number
  sweep::Figure figure;
  std::string metric;
  std::string region;
  int repeat = 10;
  double precision_percent = 5;
  std::string budget;
  std::optional<double> time_limit_s;
  std::string mpi;
  std::string output;
  std::string resume;
  bool retry = false;
  bool smart = false;  ///< also where points cannot be predicted
  bool all_points = false;
  bool dry_run = false;
  std::string emit;
  bool json = false;
};

std::string path_text(const fs::path& path) {
  const std::string near = fs::proximate(path).string();
  return near.size() < path.string().size() ? near : path.string();
}

sweep::Figure figure_of(const SweepOptions& options) {
  sweep::Figure figure = options.figure;
  if (!options.metric.empty()) {
    figure_expression("--metric", options.metric);
    figure.kind = sweep::FigureKind::metric;
    figure.text = options.metric;
  } else {
    figure.unit = "s";
  }
  if (!options.region.empty()) {
    figure.kind = sweep::FigureKind::region;
    figure.text = options.region;
  }
  return figure;
}

sweep::Grid grid_of(const SweepOptions& options) {
  sweep::Grid grid = options.grid;
  for (const std::string& text : options.over) grid.over.push_back(sweep::parse_parameter(text));
  for (const std::string& text : options.weak) {
    grid.derived.push_back(sweep::parse_derived(text, true));
  }
  for (const std::string& text : options.let) {
    grid.derived.push_back(sweep::parse_derived(text, false));
  }
  if (options.cores > 0) grid.most_cores = options.cores;
  return grid;
}

/// A sweep by the options, of which nothing has run.
sweep::Sweep planned_sweep(const SweepOptions& options) {
  sweep::Grid grid = grid_of(options);
  std::vector<sweep::Point> points = sweep::points_of(grid);
  sweep::complete_points(run::quarantined(), grid, points);
  sweep::Sweep sweep = sweep::new_sweep(grid, points);
  sweep.figure = figure_of(options);
  sweep.limits.repeat = options.repeat;
  sweep.limits.precision = options.precision_percent / 100;
  if (!options.budget.empty()) sweep.limits.budget_s = parse_duration(options.budget);
  sweep.limits.time_limit_s = options.time_limit_s;
  sweep.mpi = options.mpi;
  sweep.smart =
      options.smart || (!options.all_points && options.emit.empty() && sweep::can_forecast(sweep));
  sweep.created = machine::utc_now();
  sweep.host = host_name();
  sweep.host_cpus = run::allowed_cpus();
  return sweep;
}

/// The first point that is to be run. @throws Error when there is none.
const sweep::Point& first_point(const sweep::Sweep& sweep) {
  for (const sweep::SweepPoint& point : sweep.points) {
    if (point.point.left_out.empty()) return point.point;
  }
  throw Error("--over",
              fmt::format("no point is left: {}: {}", sweep.points.front().point.name,
                          sweep.points.front().point.left_out),
              "change the parameters");
}

/// A sweep that was interrupted, with the limits that were given now.
sweep::Sweep resumed_sweep(const SweepOptions& options, const Command& command) {
  sweep::Sweep sweep = sweep::load_sweep(options.resume);
  if (!options.grid.command.empty() || !options.over.empty()) {
    throw Error("--resume", "a sweep that is resumed keeps its command and parameters",
                "leave them out, or start another sweep");
  }
  if (sweep::has_masked_secret(sweep)) {
    throw Error(options.resume, "its command holds a secret, which is not stored",
                "start the sweep again, and pass the secret in the environment");
  }
  if (command.given("--repeat")) sweep.limits.repeat = options.repeat;
  if (command.given("--precision")) sweep.limits.precision = options.precision_percent / 100;
  if (options.time_limit_s) sweep.limits.time_limit_s = options.time_limit_s;
  if (!options.budget.empty()) {
    sweep.limits.budget_s = sweep.spent_s + parse_duration(options.budget);
  }
  if (options.retry) {
    for (sweep::SweepPoint& point : sweep.points) point.failure.reset();
  }
  return sweep;
}

/// Progress, one line for each run.
sweep::Hooks progress() {
  return {{}, [](const sweep::Sweep& sweep, const sweep::NextRun& next) {
            const sweep::SweepPoint& point = sweep.points[next.point];
            const sweep::Rest rest = sweep::rest_of(sweep);
            std::string left = counted(rest.fewest, "run") + " left at least";
            if (rest.fewest_s) left += ", " + format_seconds(*rest.fewest_s);
            fmt::print(stderr, "plait: {}, run {}: {} ({})\n", point.point.name, next.repetition,
                       point.failure ? point.failure->problem
                                     : sweep::value_text(sweep.figure, point.runs.back().value),
                       left);
          }};
}

void print_lines(const std::vector<std::string>& lines, FILE* to) {
  for (const std::string& line : lines) fmt::print(to, "{}\n", line);
}

/// Writes table and page beside sweep.json, and prints the result. @return the exit code
int report_sweep(const sweep::Sweep& sweep, const fs::path& folder, bool as_json) {
  const sweep::SweepResult result = sweep::result_of(sweep);
  write_text_file(folder / "sweep.csv", sweep::sweep_to_csv(sweep, result));
  const nlohmann::json value = sweep::sweep_to_json(sweep);
  const std::string left_out = report::write_page({{"sweep", value}}, folder / "sweep.html");
  if (!left_out.empty()) fmt::print(stderr, "plait: {}\n", left_out);
  if (as_json) {
    print_json(value);
  } else {
    print_lines(sweep::result_lines(sweep, result, path_text(folder)), stdout);
  }
  const bool failed = std::ranges::any_of(
      sweep.points, [](const sweep::SweepPoint& point) { return point.failure.has_value(); });
  return failed || result.workloads.empty() ? kFailureExit : 0;
}

void refuse_small_budget(const sweep::Sweep& sweep) {
  const bool measured = std::ranges::any_of(sweep.points, [](const sweep::SweepPoint& point) {
    return !point.runs.empty() || point.failure.has_value();
  });
  if (sweep.state != sweep::SweepState::budget || measured) return;
  throw Error("--budget", "ended before the first run did", "give more time");
}

/// Writes job scripts in place of running anything.
int emit_jobs(const sweep::Sweep& sweep, const fs::path& folder) {
  sweep::save_sweep(folder, sweep);
  for (const sweep::JobScript& script : sweep::slurm_jobs(sweep, folder, fs::current_path())) {
    write_text_file(folder / script.name, script.text);
    fmt::print("{}\n", path_text(folder / script.name));
  }
  const std::string shown = shell_word(path_text(folder));
  fmt::print(
      "Next: for job in {0}/*.sbatch; do sbatch \"$job\"; done\n"
      "Then: plait sweep collect {0}\n",
      shown);
  return 0;
}

/// Adds what jobs have run, and reports the sweep.
int collect_jobs(const std::string& given, bool as_json) {
  sweep::Sweep sweep = sweep::load_sweep(given);
  const fs::path folder = fs::absolute(given);
  const int found = sweep::collect_runs(sweep, folder);
  sweep::save_sweep(folder, sweep);
  fmt::print(stderr, "plait: {}; {} left\n", counted(found, "new run"),
             counted(sweep::rest_of(sweep).points, "point"));
  return report_sweep(sweep, folder, as_json);
}

int run_sweep(const SweepOptions& options, const Command& command) {
  const bool resumed = !options.resume.empty();
  sweep::Sweep sweep = resumed ? resumed_sweep(options, command) : planned_sweep(options);
  const sweep::Point& first = first_point(sweep);
  if (sweep::rest_of(sweep).points > 0) {
    print_lines(sweep::plan_lines(sweep), options.dry_run && !options.json ? stdout : stderr);
  }
  if (options.dry_run) {
    if (options.json) print_json(sweep::sweep_to_json(sweep));
    return 0;
  }
  const fs::path folder =
      resumed ? fs::absolute(options.resume)
              : run::make_output_folder(
                    options.output, "plait-sweeps",
                    launcher::understand_command(first.command).applications.front().argv.front());
  if (!options.emit.empty()) return emit_jobs(sweep, folder);
  const std::optional<int> signal = sweep::execute(sweep, folder, progress());
  if (!signal) refuse_small_budget(sweep);
  const std::vector<std::string> quarantined = sweep::quarantine_failures(sweep);
  if (!quarantined.empty()) sweep::save_sweep(folder, sweep);
  print_lines(quarantined, stderr);
  const int exit_code = report_sweep(sweep, folder, options.json);
  if (signal) throw Interrupted(*signal);
  return exit_code;
}

void add_grid_options(Command& command, SweepOptions& options) {
  command.heading("Parameters");
  command.list("--over", "NAME=VALUE,...", options.over, "",
               "Values of a parameter; {NAME} in the command stands for them; may be repeated. "
               "Semicolons separate values that have commas");
  command.list(
      "--weak", "NAME=EXPRESSION", options.weak, "",
      "Let a parameter grow with others, rounded: size=ranks^1/3; the times then are those "
      "of equal work per core");
  command.list(
      "--let", "NAME=EXPRESSION", options.let, "",
      "Compute a parameter from others: threads=8/ranks; leaves out points where it is not "
      "a whole number");
  command.list("--set", "NAME=VALUE", options.grid.set, "",
               "Set this environment variable; VALUE may have placeholders; may be repeated");
  command.option("--cores", "N", options.cores, {1, 1e8},
                 "Leave out points whose ranks x threads need more cores");
}

void add_figure_options(Command& command, SweepOptions& options) {
  command.heading("Figure of merit");
  command.option("--metric", "REGEX", options.metric,
                 "Compare a number in the output, the first group: 'GFLOPS: ([0-9.]+)' (default: "
                 "the time of the whole command)");
  command
      .option("--region", "NAME", options.region,
              "Compare the time in a region that the program marks, mean over its ranks")
      .excludes("--metric");
  command
      .flag("--larger-is-better", options.figure.larger_is_better,
            "The number is better if it is larger")
      .needs("--metric");
  command.option("--unit", "UNIT", options.figure.unit, "Unit of the number; s: it is a time")
      .needs("--metric");
}

void add_limit_options(Command& command, SweepOptions& options) {
  command.heading("Runs");
  command
      .option("--repeat", "N", options.repeat, {1, sweep::kMostRepetitions},
              "Maximum number of runs of each point; fewer if its interval is narrow earlier")
      .defaults_to("10");
  command
      .option("--precision", "PERCENT", options.precision_percent, {0.01, 1000},
              "Width of the 95 % interval, relative to the median, at which a point is done")
      .defaults_to("5");
  command.flag(
      "--smart", options.smart,
      "Leave out points that are predicted to be worse than the best one with the same work, and "
      "do not repeat those that are (default where points can be predicted: four or more numbers "
      "of ranks or threads)");
  command.flag("--all-points", options.all_points, "Run all points, as often as the others")
      .excludes("--smart");
  command.option("--budget", "TIME", options.budget,
                 "End after this much time in runs: 90s, 30min, 2h; with --resume, this much more");
  command
      .option("--time-limit", "SECONDS", options.time_limit_s, kSeconds,
              "Stop a run after this many seconds")
      .defaults_to("10 times the expected time, at least 10 s");
  command.flag("--dry-run", options.dry_run, "Print the plan and run nothing");
  command
      .option("--resume", "FOLDER", options.resume,
              "Go on with a sweep that was interrupted or whose budget was used up")
      .completes(Complete::folder);
  command.flag("--retry", options.retry, "Run points again that failed").needs("--resume");
}

void add_sweep_collect(Command& sweep) {
  const auto folder = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>(false);
  Command& command = sweep.add_command("collect", "Add the runs of jobs, and report the sweep");
  command.argument("FOLDER", *folder, "Folder of the sweep, from plait sweep --emit slurm")
      .required()
      .completes(Complete::folder);
  command.flag("--json", *json, "Print the result as JSON");
  command.example("plait sweep collect plait-sweeps/app");
  command.action([folder, json] { return collect_jobs(*folder, *json); });
}

}  // namespace

void add_sweep(Command& plait) {
  const auto options = std::make_shared<SweepOptions>();
  Command& command = plait.add_command(
      "sweep", "Run a program over a grid of parameters, and show how it scales", group::decide);
  command.describe(
      "Runs all combinations of the parameters in turn, round by round, until their medians are "
      "known well enough. {ranks} and {threads} say how many cores a point uses; {threads} also "
      "sets OMP_NUM_THREADS. {size} is the amount of work.");
  command.describe(
      "Each run is kept as a run directory. sweep.json, sweep.csv and sweep.html in the folder of "
      "the sweep have the result. The exit code is 1 if a point failed.");
  add_grid_options(command, *options);
  add_figure_options(command, *options);
  add_limit_options(command, *options);
  command.heading("Output");
  command
      .option("--mpi", "MPI", options->mpi,
              "MPI of the program, if it is not detected (Python, scripts): openmpi, mpich or abi")
      .choices({"openmpi", "mpich", "abi"});
  command.option("-o,--output", "FOLDER", options->output, "Folder for the result and the runs")
      .defaults_to("plait-sweeps/APP-TIME")
      .excludes("--resume")
      .completes(Complete::folder);
  command.flag("--json", options->json, "Print the result as JSON");
  command
      .option("--emit", "WHAT", options->emit,
              "Write job arrays for a batch system in place of running anything: slurm")
      .choices({"slurm"})
      .excludes("--resume")
      .excludes("--dry-run");
  command.takes_program(options->grid.command, false);
  command.example("plait sweep --over ranks=1,2,4,8 -- mpiexec -n {ranks} ./app");
  command.example("plait sweep --over ranks=1,2 --let threads=2/ranks -- mpiexec -n {ranks} app");
  command.example("plait sweep --over n=50,100 --metric 'time: ([0-9.]+)' -- ./app --n {n}");
  command.example("plait sweep --resume plait-sweeps/app --budget 30min");
  command.action([&command, options] {
    if (options->resume.empty()) {
      require_program(command);
      if (options->over.empty()) {
        throw Error("--over is missing; example: " + command.examples.front());
      }
    }
    return run_sweep(*options, command);
  });
  add_sweep_collect(command);
}

}  // namespace plait::cli
