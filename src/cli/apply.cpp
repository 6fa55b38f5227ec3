// SPDX-License-Identifier: BSD-3-Clause
// plait apply: runs a program as before and by a plan, in turn, and keeps the plan if it wins.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "base/json_file.hpp"
#include "base/subprocess.hpp"
#include "cli/allocation.hpp"
#include "cli/apply_observed.hpp"
#include "cli/apply_output.hpp"
#include "cli/commands.hpp"
#include "cli/program_command.hpp"
#include "launch/plan_placing.hpp"
#include "launch/run_directory.hpp"
#include "machine/discover.hpp"
#include "plait/error.hpp"
#include "report/page.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

struct ApplyOptions {
  std::string plan;
  std::vector<std::string> set;
  std::vector<std::string> options;
  int repeat = 10;
  double time_limit_s = 0;
  bool same_output = false;
  std::string time_from;
  std::string output;
  std::string keep = "plait-plan.json";
  std::string json;
  std::string page;
  std::string unused;
};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char letter : text + " ") {
    if (letter != ' ') {
      word += letter;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

/// The plan of the file, with what was said beside it.
launch::Plan plan_of(const ApplyOptions& options, launch::LauncherKind kind) {
  launch::Plan plan;
  if (!options.plan.empty()) plan = on_job_around(launch::load_plan(options.plan));
  for (const std::string& assignment : options.set) {
    const std::size_t equals = assignment.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw Error(assignment, "is no setting", "give --set NAME=VALUE");
    }
    plan.environment[assignment.substr(0, equals)] = assignment.substr(equals + 1);
  }
  for (const std::string& text : options.options) {
    for (const std::string& word : words_of(text)) plan.launcher_options.push_back(word);
    plan.only_for = kind;
  }
  if (options.plan.empty()) {
    const std::vector<std::string> settings = launch::settings_of(plan);
    if (settings.empty() && plan.environment.empty()) {
      throw Error("plait apply", "has no plan to apply",
                  "give a plan's file (plait advise writes them), --set NAME=VALUE or --option");
    }
    plan.name = fmt::format("{}", fmt::join(settings, " "));
  }
  return plan;
}

/// The command by a plan; its files are written into the folder.
/// @param records  as preloads() takes it
launch::TrialCommand planned(const launch::Plan& plan, const launch::LaunchCommand& command,
                             const std::string& name, const fs::path& folder,
                             const fs::path& records, std::vector<std::string>* notes) {
  launch::PlannedCommand by_plan = launch::command_of(plan, command, folder);
  for (const auto& [file, content] : by_plan.files) write_text_file(folder / file, content);
  if (notes != nullptr) *notes = by_plan.notes;
  launch::TrialCommand result{name, std::move(by_plan.argv), {}};
  result.environment.assign(by_plan.environment.begin(), by_plan.environment.end());
  const launch::Assignments loaded = preloads(plan, command, records);
  result.environment.insert(result.environment.end(), loaded.begin(), loaded.end());
  if (!loaded.empty() && command.launcher.kind != launch::LauncherKind::none) {
    const launch::LaunchCommand whole =
        launch::parse_command(command.launcher, result.argv, command.launcher_index);
    result.argv = launch::exporting_command(whole, loaded);
  }
  return result;
}

/// Lets the plan's first run be looked into, and be judged by what was seen.
void observe(const launch::LaunchCommand& command, const fs::path& folder, ApplyReport& report,
             launch::TrialRequest& request) {
  if (!can_be_seen(report.plan)) return;
  try {
    const fs::path records = folder / "records";
    fs::create_directories(records);
    request.observed = planned(report.plan, command, "after", folder, records, nullptr);
  } catch (const Error& error) {
    report.notes.push_back(std::string("whether the plan is kept cannot be seen: ") + error.what());
    return;
  }
  request.judge_observed = [&command, folder, &report]() -> std::string {
    const SeenOfPlan seen = look_at(report.plan, command, folder);
    report.seen = seen.sentence;
    return seen.kept ? "" : seen.sentence;
  };
}

std::vector<std::string> whole_command(const launch::TrialCommand& command) {
  std::vector<std::string> words;
  if (!command.environment.empty()) words.emplace_back("env");
  for (const auto& [name, value] : command.environment) words.push_back(name + "=" + value);
  words.insert(words.end(), command.argv.begin(), command.argv.end());
  return words;
}

fs::path make_folder(const ApplyOptions& options, const launch::LaunchCommand& command) {
  fs::path folder = options.output;
  if (folder.empty()) {
    const std::string program = command.applications.front().argv.front();
    folder = fs::path("plait-applies") /
             fmt::format("{}-{}", launch::run_name(program), launch::iso_now());
  }
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed || !fs::is_empty(folder, failed)) {
    throw Error(folder.string(), failed ? failed.message() : "is not empty",
                "give another folder with --output");
  }
  return fs::absolute(folder);
}

void refuse_quarantined(const launch::Plan& plan, const launch::Launcher& launcher) {
  const auto found =
      launch::quarantined_in(launch::quarantined(), launcher, launch::settings_of(plan));
  if (found.empty()) return;
  throw Error(
      fmt::format("{}", fmt::join(found.front().settings, " ")),
      "is in quarantine: " + launch::quarantine_sentence(found.front()),
      fmt::format("leave it out, or let it out: plait doctor --forget {}", found.front().id), 1);
}

/// The first number that the expression's group finds in a program's output.
std::optional<double> time_in(const std::regex& expression, const std::string& output) {
  std::smatch found;
  if (!std::regex_search(output, found, expression) || found.size() < 2) return std::nullopt;
  const std::string text = found[1];
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::nullopt : std::optional(value);
}

std::regex expression_of(const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error&) {
    throw Error(text, "is no regular expression",
                "give one whose first group is the time: 'elapsed: ([0-9.]+) s'");
  }
}

/// One setting of a plan by itself.
launch::Plan with_setting_alone(const launch::Plan& plan, const std::string& setting) {
  launch::Plan alone = plan;
  alone.environment.clear();
  alone.launcher_options.clear();
  for (const auto& [name, value] : plan.environment) {
    if (name.starts_with("OMP_") || name + "=" + value == setting) alone.environment[name] = value;
  }
  if (setting.starts_with('-')) alone.launcher_options = words_of(setting);
  return alone;
}

bool is_the_setting(const launch::JobEnding& ending) {
  return ending.ending == launch::Ending::hung || ending.ending == launch::Ending::crashed ||
         ending.ending == launch::Ending::refused;
}

/// Settings that end a job, how, and the command that shows it.
struct Culprit {
  std::vector<std::string> settings;
  launch::JobEnding ending;
  std::vector<std::string> command;
};

/// Which of the plan's settings fail by themselves; none: all together do.
std::vector<Culprit> culprits(const launch::Plan& plan, const launch::LaunchCommand& command,
                              const launch::JobEnding& together, const ApplyReport& report) {
  const std::vector<std::string> settings = launch::settings_of(plan);
  std::vector<Culprit> found;
  for (std::size_t at = 0; settings.size() > 1 && at < settings.size(); ++at) {
    fmt::print(stderr, "plait: looking for the setting that fails: {}\n", settings[at]);
    const fs::path folder = fs::path(report.folder) / fmt::format("alone-{}", at + 1);
    fs::create_directories(folder);
    const launch::TrialCommand alone =
        planned(with_setting_alone(plan, settings[at]), command, "alone", folder, {}, nullptr);
    const launch::TrialRun run = launch::run_once(alone, folder, "1", report.trials.limit_s);
    if (run.interrupted_by) throw Interrupted(*run.interrupted_by);
    const launch::JobEnding& ending = run.ending;
    if (is_the_setting(ending)) found.push_back({{settings[at]}, ending, whole_command(alone)});
  }
  if (found.empty()) found.push_back({settings, together, report.after});
  return found;
}

/// A plan's settings that end the job are put where no command tries them again.
void quarantine_settings(const launch::Plan& plan, const launch::LaunchCommand& command,
                         ApplyReport& report) {
  const auto& failure = report.trials.failure;
  if (!failure || failure->command == 0 || !is_the_setting(failure->ending) ||
      launch::settings_of(plan).empty()) {
    return;
  }
  for (const Culprit& culprit : culprits(plan, command, failure->ending, report)) {
    launch::Quarantined entry;
    entry.mpi = launch::kind_name(command.launcher.kind);
    entry.version = command.launcher.version;
    entry.host = launch::host_name();
    entry.settings = culprit.settings;
    entry.what = culprit.ending;
    entry.command = culprit.command;
    report.quarantined.push_back(launch::put_into_quarantine(entry));
  }
}

launch::TrialRequest trials_of(const ApplyOptions& options, const launch::TrialCommand& before,
                               const launch::TrialCommand& after, const fs::path& folder) {
  launch::TrialRequest request;
  request.commands = {before, after};
  request.folder = folder;
  request.most_pairs = options.repeat;
  if (options.time_limit_s > 0) request.time_limit_s = options.time_limit_s;
  request.same_output = options.same_output;
  if (!options.time_from.empty()) {
    request.time_of = [expression = expression_of(options.time_from)](const std::string& output) {
      return time_in(expression, output);
    };
  }
  request.progress = [most = options.repeat](const std::string& name, int pair, double seconds) {
    const std::string which = pair == 0 ? "warm-up" : fmt::format("pair {} of {}", pair, most);
    fmt::print(stderr, "plait: {}, {}: {:.3g} s\n", which, name, seconds);
  };
  request.decided = [](const std::vector<std::array<double, 2>>& seconds) {
    return measure::compare_pairs(seconds, measure::kEarlyConfidence) !=
           measure::Comparison::undecided;
  };
  return request;
}

/// Writes the plan that won where the user finds it, with what was measured in its reason.
void keep_plan(const ApplyOptions& options, ApplyReport& report) {
  launch::Plan kept = report.plan;
  const measure::MedianInterval ratio = measure::paired_ratio(report.trials.seconds);
  kept.reason += fmt::format("{}Measured: {:.2f} ({:.2f} to {:.2f}) times as fast in {} pairs.",
                             kept.reason.empty() ? "" : " ", ratio.median, ratio.low, ratio.high,
                             report.trials.seconds.size());
  launch::save_plan(options.keep, kept);
  report.kept_file = options.keep;
}

int apply_plan(const ApplyOptions& options, const std::vector<std::string>& words) {
  if (words.empty()) {
    throw Error("plait apply", "has no command to run",
                "plait apply PLAN.json -- mpiexec -n 4 ./app");
  }
  const launch::LaunchCommand command = launch::understand_command(words);
  ApplyReport report;
  report.plan = plan_of(options, command.launcher.kind);
  report.plan_file = options.plan;
  report.same_output = options.same_output;
  report.timed = options.time_from.empty() ? "the whole command" : "the program's own time";
  if (!report.plan.places.empty()) {
    launch::check_places(report.plan, machine::discover_local().topology, launch::host_name());
  }
  refuse_quarantined(report.plan, command.launcher);
  const fs::path folder = make_folder(options, command);
  report.folder = folder.string();
  const launch::TrialCommand before{"before", words, {}};
  const launch::TrialCommand after =
      planned(report.plan, command, "after", folder, {}, &report.notes);
  report.before = words;
  report.after = whole_command(after);
  launch::TrialRequest request = trials_of(options, before, after, folder);
  observe(command, folder, report, request);
  report.trials = launch::run_trials(request);
  if (report.trials.interrupted_by) {
    for (const std::string& line : interrupted_lines(report)) fmt::print(stderr, "{}\n", line);
    throw Interrupted(*report.trials.interrupted_by);
  }
  quarantine_settings(report.plan, command, report);
  report.comparison = measure::compare_pairs(report.trials.seconds, measure::kConfidence);
  const bool won = !report.trials.failure && report.comparison == measure::Comparison::faster;
  if (won) keep_plan(options, report);
  write_json_file(folder / "apply.json", apply_to_json(report));
  if (!options.page.empty()) {
    const std::string left_out =
        report::write_page({{"apply", apply_to_json(report)}}, options.page);
    if (!left_out.empty()) fmt::print(stderr, "plait: {}\n", left_out);
    if (left_out.empty()) report.page = options.page;
  }
  const auto replace = nlohmann::json::error_handler_t::replace;
  if (options.json == "-") {
    fmt::print("{}\n", apply_to_json(report).dump(1, ' ', false, replace));
    return won ? 0 : 1;
  }
  report.result = options.json.empty() ? (folder / "apply.json").string() : options.json;
  if (!options.json.empty()) write_json_file(options.json, apply_to_json(report));
  for (const std::string& line : apply_lines(report)) fmt::print("{}\n", line);
  return won ? 0 : 1;
}

}  // namespace

void add_apply(CLI::App& app, int& exit_code) {
  CLI::App* const command = app.add_subcommand(
      "apply", "Run a program as before and by a plan in turn; keep the plan if it wins");
  const auto options = std::make_shared<ApplyOptions>();
  command->add_option("plan", options->plan, "A plan's file, as plait advise writes them")
      ->check(CLI::Validator(
          [](std::string& text) {
            const bool plan = fs::path(text).extension() == ".json" ||
                              fs::exists(fs::path(text) / launch::kPlanName);
            return plan ? std::string{} : "is no .json file";
          },
          ""));
  takes_program_command(command, options->unused);
  command->add_option("--set", options->set, "A setting to try: NAME=VALUE; may be repeated")
      ->allow_extra_args(false);
  command
      ->add_option("--option", options->options,
                   "Words for the launcher to try: \"--mca btl self,vader\"")
      ->allow_extra_args(false);
  command->add_option("--repeat", options->repeat, "Most pairs of runs (10); fewer when decided")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option("--time-limit", options->time_limit_s,
                   "End a run after so many seconds (10 times the first, at least 10)")
      ->check(CLI::Range(0.001, 1e9));
  command->add_flag("--same-output", options->same_output,
                    "The standard output must be the same, byte by byte");
  command->add_option("--time-from", options->time_from,
                      "Take the time from the output: 'elapsed ([0-9.]+)'");
  command->add_option("--output", options->output,
                      "Folder of the runs' output (plait-applies/...)");
  command->add_option("--keep", options->keep, "Where a plan that won goes (plait-plan.json)");
  command->add_option("--json", options->json, "Write the result here too; - prints it instead");
  command->add_option("--html", options->page, "Show the runs on a page, in this file");
  command->callback([options, command, &exit_code] {
    // What stands before "--" and was not taken for a plan.
    const std::vector<std::string> rest = command->remaining();
    if (rest.size() > 1 && rest[0] != "--" && rest[1] == "--" && rest[0][0] != '-') {
      throw Error(rest[0], "is no plan",
                  "a plan is a .json file, or a folder with plan.json in it: plait place -o, "
                  "plait advise");
    }
    exit_code = apply_plan(*options, program_command(command));
  });
}

}  // namespace plait::cli
