// SPDX-License-Identifier: BSD-3-Clause
// Runs a command line under Plait and writes a run directory.
#include "run/run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>

#include "base/json_file.hpp"
#include "launcher/command_options.hpp"
#include "launcher/inside_launcher.hpp"
#include "launcher/launcher_traits.hpp"
#include "plait/error.hpp"
#include "run/run_setup.hpp"
#include "run/shared_run.hpp"
#include "run/spool.hpp"
#include "run/supervise.hpp"
#include "run/timed_run.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;

/// How long the processes of a launcher have ended before it is considered to hang.
constexpr std::chrono::seconds kStuck{10};

void warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) fmt::print(stderr, "plait: warning: {}\n", warning);
}

double unix_now_s() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// A launcher whose rank was killed has an exit code above 128.
RunState state_of(const ProcessEnd& end) {
  if (end.timed_out) return RunState::time_limit;
  if (end.interrupted_by) return RunState::interrupted;
  return end.signal || end.exit_code > 128 ? RunState::killed : RunState::finished;
}

/// Moves the records from the spool to the run directory, and adds what was left to `problems`.
void collect(const Spool& spool, const RunDirectory& directory,
             std::vector<std::string>& problems) {
  const std::vector<std::string> left = spool.empty_into(directory.records());
  warn(left);
  problems.insert(problems.end(), left.begin(), left.end());
}

/// The folder of the records while the program runs.
fs::path written_now(const Spool& spool, const RunDirectory& directory) {
  return spool.path().empty() ? directory.records() : spool.path();
}

/// Launchers answer ^C with 0, 1 or other codes of their own; the answer of a program counts.
int exit_code_of(const ProcessEnd& end, bool launched) {
  if (end.timed_out) return kTimeLimitExit;
  return launched && end.interrupted_by == SIGINT ? 128 + SIGINT : end.exit_code;
}

/// The command of a run by its plan.
struct CommandByPlan {
  launcher::LaunchCommand command;
  Assignments environment;
};

/// @param folder  of the run, for the files of the plan
CommandByPlan command_by_plan(const RunRequest& request, const launcher::LaunchCommand& command,
                              const fs::path& folder) {
  if (!request.plan) return {command, {}};
  const launcher::PlannedCommand planned = launcher::command_of(*request.plan, command, folder);
  for (const auto& [name, content] : planned.files) write_text_file(folder / name, content);
  warn(planned.notes);
  return {launcher::parse_command(command.launcher, planned.argv, command.launcher_index),
          {planned.environment.begin(), planned.environment.end()}};
}

/// The whole job: `plait run -- mpiexec ...`.
/// @param unattended  see timed_run()
RunResult run_job(const RunRequest& request, const RunSetup& setup, bool unattended) {
  const RunDirectory directory =
      RunDirectory::create(request.output, setup.preload.program.string());
  RunFile run = run_file(request, setup);
  ProcessRequest process;
  std::optional<Spool> spool;
  ProcessEnd end;
  try {
    spool.emplace(request.spool, directory.path().filename().string(), directory.path());
    const CommandByPlan planned = command_by_plan(request, setup.command, directory.path());
    process.environment = planned.environment;
    const Assignments own = run_environment(request, setup, directory, spool->path());
    process.environment.insert(process.environment.end(), own.begin(), own.end());
    process.argv = launcher::exporting_command(planned.command, own);
    process.stdout_copy = directory.path() / "stdout.txt";
    process.stderr_copy = directory.path() / "stderr.txt";
    process.show_stdout = request.show_stdout && !unattended;
    process.show_stderr = !unattended;
    process.unattended = unattended;
    process.time_limit_s = request.time_limit_s;
    if (request.watch) {
      process.watch = [&] { return request.watch(written_now(*spool, directory)); };
    }
    if (launcher::traits_of(setup.command.launcher.kind).facts().may_hang_at_end) {
      process.stuck_after = kStuck;
    }
    run.launched = process.argv;
    machine::save(directory.machine_file(), setup.machine);
    directory.write(run);
    if (!unattended) warn(setup.warnings);
    end = supervise(process);
  } catch (...) {
    // Nothing was run: remove the folder.
    std::error_code none;
    fs::remove_all(directory.path(), none);
    throw;
  }
  collect(*spool, directory, end.problems);
  run.end = iso_now();
  run.wall_s = end.wall_s;
  run.exit_code = end.exit_code;
  run.signal = end.signal;
  run.interrupted_by = end.interrupted_by;
  run.state = state_of(end);
  run.warnings.insert(run.warnings.end(), end.problems.begin(), end.problems.end());
  try {
    directory.write(run);
  } catch (const Error& error) {
    warn({error.what()});  // the program has run: its exit code is more important than ours
  }
  const bool launched = setup.command.launcher.kind != launcher::LauncherKind::none;
  return {directory.path(),  exit_code_of(end, launched), end.timed_out, end.ended_by_watch, true,
          end.interrupted_by};
}

/// One rank of a job: `mpiexec -n 4 plait run app`.
RunResult run_rank(const RunRequest& request, const RunSetup& setup, const launcher::JobRank& job) {
  if (request.plan) {
    throw Error("--tuned", "the ranks have already started", "put plait run before the launcher");
  }
  const SharedRun shared(request, setup, job);
  const RunDirectory& directory = shared.directory();
  if (shared.first()) warn(setup.warnings);
  // One per rank, because it is emptied when the rank has ended.
  const Spool spool(request.spool,
                    fmt::format("{}-{}", directory.path().filename().string(), job.rank),
                    directory.path());
  ProcessRequest process;
  process.argv = request.command;
  process.environment = run_environment(request, setup, directory, spool.path());
  process.stdout_copy = directory.path() / fmt::format("stdout-{}.txt", job.rank);
  process.stderr_copy = directory.path() / fmt::format("stderr-{}.txt", job.rank);
  process.show_stdout = request.show_stdout;
  process.own_group = false;
  process.time_limit_s = request.time_limit_s;
  if (request.watch && job.rank == 0)
    process.watch = [&] { return request.watch(written_now(spool, directory)); };
  RankEnd rank;
  rank.rank = job.rank;
  rank.host = host_name();
  rank.start_unix_s = unix_now_s();
  const ProcessEnd end = supervise(process);
  rank.end_unix_s = unix_now_s();
  rank.exit_code = end.exit_code;
  rank.signal = end.signal.value_or(0);
  rank.timed_out = end.timed_out;
  rank.interrupted_by = end.interrupted_by.value_or(0);
  rank.problems = end.problems;
  collect(spool, directory, rank.problems);
  bool last = false;
  try {
    last = shared.leave(rank);
  } catch (const Error& error) {
    warn({error.what()});
  }
  return {directory.path(),  exit_code_of(end, false), end.timed_out, end.ended_by_watch, last,
          end.interrupted_by};
}

}  // namespace

RunResult run(const RunRequest& request) {
  launcher::LaunchCommand command = launcher::understand_command(request.command);
  if (command.launcher.kind == launcher::LauncherKind::none) {
    if (const auto job = launcher::inside_launcher()) {
      return run_rank(request, set_up(request, std::move(command), true), *job);
    }
  }
  return run_job(request, set_up(request, std::move(command), false), false);
}

RunResult timed_run(const RunRequest& request) {
  return run_job(request, set_up(request, launcher::understand_command(request.command), false),
                 true);
}

}  // namespace plait::run
