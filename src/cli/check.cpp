// SPDX-License-Identifier: BSD-3-Clause
// plait check: runs a program and reports its MPI errors.
#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/json_file.hpp"
#include "check/judge.hpp"
#include "check/output.hpp"
#include "check/watcher.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cli/run_options.hpp"
#include "launcher/inside_launcher.hpp"
#include "launcher/launcher.hpp"
#include "report/terminal.hpp"
#include "run/run.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kFindingsExit = 3;

struct CheckOptions {
  run::RunRequest request;
  double stall_s = 1;
  bool json = false;
  bool quiet = false;
};

/// The check files are large and no longer needed after the judgement.
void remove_check_files(const fs::path& records) {
  std::error_code none;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(records, none)) {
    if (entry.path().extension() == ".chk") files.push_back(entry.path());
  }
  for (const fs::path& file : files) fs::remove(file, none);
}

check::Verdict judge_run(const fs::path& directory, std::optional<check::Finding> deadlock,
                         bool timed_out) {
  const check::Job job = check::read_job(directory / "records");
  if (!deadlock && timed_out) {
    if (auto found = check::find_deadlock(job)) deadlock = std::move(found->finding);
  }
  check::Verdict verdict = check::judge(job, std::move(deadlock));
  if (job.processes.empty()) {
    verdict.notes.emplace_back(
        "no process was checked: none called MPI_Init with Plait's preload object");
  }
  return verdict;
}

void print(const check::Verdict& verdict, const check::Outcome& outcome, const fs::path& file) {
  const report::TerminalOptions look = report::terminal_options(stderr);
  for (const std::string& line : check::verdict_lines(verdict, outcome, look.color, look.utf8)) {
    fmt::print(stderr, "{}\n", line);
  }
  fmt::print(stderr, "\nResult: {}\n", fs::proximate(file).string());
}

/// Writes and prints a verdict.
void report(const CheckOptions& options, const check::Verdict& verdict,
            const check::Outcome& outcome, const fs::path& file) {
  const nlohmann::json value = check::verdict_json(verdict, outcome);
  write_json_file(file, value);
  if (!options.quiet) print(verdict, outcome, file);
  if (options.json) print_json(value);
}

/// True in `mpiexec -n 4 plait check app`, where each rank has a plait.
bool is_rank(const std::vector<std::string>& command) {
  return launcher::inside_launcher() &&
         launcher::understand_command(command).launcher.kind == launcher::LauncherKind::none;
}

int check_program(CheckOptions& options) {
  run::RunRequest& request = options.request;
  request.check = true;
  request.show_stdout = !options.json;
  check::Watcher watcher{std::chrono::duration<double>(options.stall_s)};
  const bool one_rank = is_rank(request.command);
  request.watch = [&](const fs::path& records) {
    if (!watcher.look(records)) return false;
    // When a rank ends, the launcher ends all its processes, this one too: report before.
    if (one_rank) {
      const fs::path directory = records.parent_path();
      report(options, judge_run(directory, watcher.deadlock(), false),
             {request.command, 128 + SIGTERM, true, false}, directory / "check.json");
    }
    return true;
  };
  const run::RunResult result = run::run(request);
  const fs::path file = result.directory / "check.json";
  if (!result.reports) return result.exit_code;
  if (fs::exists(file)) return kFindingsExit;  // reported while it ran
  const check::Verdict verdict = judge_run(result.directory, watcher.deadlock(), result.timed_out);
  report(options, verdict,
         {request.command, result.exit_code, result.ended_by_watch, result.timed_out}, file);
  remove_check_files(result.directory / "records");
  if (!verdict.findings.empty()) return kFindingsExit;
  // A program that was not checked must not pass as correct.
  return result.exit_code == 0 && verdict.ranks == 0 ? 1 : result.exit_code;
}

}  // namespace

void add_check(Command& plait) {
  const auto options = std::make_shared<CheckOptions>();
  Command& command =
      plait.add_command("check", "Run an MPI program and report its MPI errors", group::explain);
  command.describe(
      "The exit code is 3 if errors were found, otherwise that of the program. Results are also "
      "written to check.json in the run directory.");
  add_run_options(command, options->request,
                  "Run directory to write (default: plait-runs/APP-TIME)");
  command.flag("--buffers", options->request.check_buffers,
               "Checksum buffers to find those that change while a message is in flight");
  command
      .option("--stall", "SECONDS", options->stall_s, kSeconds,
              "Look for a deadlock when a call takes longer than this")
      .defaults_to("1 s");
  command.flag("--json", options->json, "Print the result as JSON instead of the program's output");
  command.flag("-q,--quiet", options->quiet, "Print nothing, only write check.json");
  command.example("plait check -- mpiexec -n 4 ./app");
  command.action([&command, options] {
    require_program(command);
    return check_program(*options);
  });
}

}  // namespace plait::cli
