// SPDX-License-Identifier: BSD-3-Clause
// plait check: runs a program and says what it does wrong with MPI.
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
#include "cli/program_command.hpp"
#include "launch/inside_launcher.hpp"
#include "launch/launcher.hpp"
#include "launch/run.hpp"
#include "plait/error.hpp"
#include "report/terminal.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kFindingsExit = 3;

struct CheckOptions {
  launch::RunRequest request;
  double time_limit_s = 0;
  double stall_s = 1;
  bool json = false;
  bool quiet = false;
  std::string unused;
};

/// The check files are of no use once they were judged, and as long as the program ran.
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
        "no process was checked: none came to MPI_Init under plait's preload object");
  }
  return verdict;
}

void print(const check::Verdict& verdict, const check::Ending& ending, const fs::path& file) {
  const report::TerminalOptions look = report::terminal_options(stderr);
  for (const std::string& line : check::verdict_lines(verdict, ending, look.color, look.utf8)) {
    fmt::print(stderr, "{}\n", line);
  }
  fmt::print(stderr, "\nResult: {}\n", fs::proximate(file).string());
}

/// Writes and prints a verdict.
void tell(const CheckOptions& options, const check::Verdict& verdict, const check::Ending& ending,
          const fs::path& file) {
  const nlohmann::json value = check::verdict_json(verdict, ending);
  write_json_file(file, value);
  if (!options.quiet) print(verdict, ending, file);
  if (options.json) {
    fmt::print("{}\n", value.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

/// Is this the plait of one rank (`mpiexec -n 4 plait check app`)?
bool is_rank(const std::vector<std::string>& command) {
  return launch::inside_launcher() &&
         launch::understand_command(command).launcher.kind == launch::LauncherKind::none;
}

int check_program(CheckOptions& options) {
  launch::RunRequest& request = options.request;
  if (request.command.empty()) {
    throw Error("plait check", "there is no program to run", "plait check -- mpiexec -n 4 ./app");
  }
  if (options.time_limit_s > 0) request.time_limit_s = options.time_limit_s;
  request.check = true;
  request.show_stdout = !options.json;
  check::Watcher watcher{std::chrono::duration<double>(options.stall_s)};
  const bool one_rank = is_rank(request.command);
  request.watch = [&](const fs::path& records) {
    if (!watcher.look(records)) return false;
    // A launcher ends all its processes, this one too, when a rank is gone: speak before.
    if (one_rank) {
      const fs::path directory = records.parent_path();
      tell(options, judge_run(directory, watcher.deadlock(), false),
           {request.command, 128 + SIGTERM, true, false}, directory / "check.json");
    }
    return true;
  };
  const launch::RunResult result = launch::run(request);
  const fs::path file = result.directory / "check.json";
  if (!result.reports) return result.exit_code;
  if (fs::exists(file)) return kFindingsExit;  // told while it ran
  const check::Verdict verdict = judge_run(result.directory, watcher.deadlock(), result.timed_out);
  tell(options, verdict,
       {request.command, result.exit_code, result.ended_by_watch, result.timed_out}, file);
  remove_check_files(result.directory / "records");
  if (!verdict.findings.empty()) return kFindingsExit;
  // Nothing that was not looked at may pass for correct.
  return result.exit_code == 0 && verdict.ranks == 0 ? 1 : result.exit_code;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "Run an MPI program and say what it does wrong with MPI");
  command->footer(
      "plait check [options] -- mpiexec -n 4 ./app ...\n"
      "Exit code: 3 with findings, else the program's own");
  launch::RunRequest& request = options->request;
  command->add_option("-o,--output", request.output, "Folder of the run [plait-runs/APP-TIME]");
  command
      ->add_option("--mpi", request.mpi,
                   "MPI of the program, where it does not tell itself (Python, scripts)")
      ->check(CLI::IsMember({"openmpi", "mpich", "abi"}));
  command->add_flag("--buffers", request.check_buffers,
                    "Take checksums of buffers in flight, and compare where they lie");
  command
      ->add_option("--stall", options->stall_s,
                   "Look for a deadlock when a call lasts so many seconds [1]")
      ->check(CLI::PositiveNumber);
  command->add_option("--time-limit", options->time_limit_s, "End the run after so many seconds")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", options->json,
                    "Print the result as JSON in place of the program's output");
  command->add_flag("-q,--quiet", options->quiet, "Write check.json, print nothing");
  takes_program_command(command, options->unused);
  command->callback([command, options, &exit_code] {
    options->request.command = program_command(command);
    exit_code = check_program(*options);
  });
}

}  // namespace plait::cli
