// SPDX-License-Identifier: BSD-3-Clause
// Runs a program under plait check and judges its calls.
#include "check/check_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_file.hpp"
#include "check/watcher.hpp"
#include "launcher/inside_launcher.hpp"
#include "launcher/launcher.hpp"
#include "plait/error.hpp"

namespace plait::check {
namespace {

namespace fs = std::filesystem;

/// The check files are large and no longer needed after the judgement.
void remove_check_files(const fs::path& records) {
  std::error_code none;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(records, none)) {
    if (entry.path().extension() == ".chk") files.push_back(entry.path());
  }
  for (const fs::path& file : files) fs::remove(file, none);
}

Verdict judge_run(const fs::path& directory, std::optional<Finding> deadlock, bool timed_out) {
  const Job job = read_job(directory / "records");
  if (!deadlock && timed_out) {
    if (auto found = find_deadlock(job)) deadlock = std::move(found->finding);
  }
  Verdict verdict = judge(job, std::move(deadlock));
  if (job.processes.empty()) {
    verdict.notes.emplace_back(
        "no process was checked: none called MPI_Init with Plait's preload object");
  }
  return verdict;
}

/// True in `mpiexec -n 4 plait check app`, where each rank has a plait.
bool is_rank(const std::vector<std::string>& command) {
  return launcher::inside_launcher() &&
         launcher::understand_command(command).launcher.kind == launcher::LauncherKind::none;
}

}  // namespace

int run_checked(run::RunRequest request, double stall_s, const Report& report) {
  const auto write_and_report = [&](const Verdict& verdict, const Outcome& outcome,
                                    const fs::path& file) {
    try {
      write_json_file(file, verdict_json(verdict, outcome));
    } catch (const Error& error) {
      fmt::print(stderr, "plait: warning: {}\n", error.what());  // the exit code is the program's
    }
    report(verdict, outcome, file);
  };
  request.check = true;
  Watcher watcher{std::chrono::duration<double>(stall_s)};
  const bool one_rank = is_rank(request.command);
  request.watch = [&](const fs::path& records) {
    if (!watcher.look(records)) return false;
    // When a rank ends, the launcher ends all its processes, this one too: report before.
    if (one_rank) {
      const fs::path directory = records.parent_path();
      write_and_report(judge_run(directory, watcher.deadlock(), false),
                       {request.command, 128 + SIGTERM, true, false}, directory / "check.json");
    }
    return true;
  };
  const run::RunResult result = run::run(request);
  const fs::path file = result.directory / "check.json";
  if (!result.reports) return result.exit_code;
  if (fs::exists(file)) return kFindingsExit;  // reported while it ran
  const Verdict verdict = judge_run(result.directory, watcher.deadlock(), result.timed_out);
  const Outcome outcome{request.command, result.exit_code, result.ended_by_watch, result.timed_out};
  write_and_report(verdict, outcome, file);
  remove_check_files(result.directory / "records");
  return exit_code(verdict, outcome);
}

}  // namespace plait::check
