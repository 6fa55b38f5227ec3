// SPDX-License-Identifier: BSD-3-Clause
// Turns a plan into a command of a launcher.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/counted.hpp"
#include "base/layout.hpp"
#include "launch/environment.hpp"
#include "launch/placement_options.hpp"
#include "launch/plan.hpp"
#include "launch/plan_words.hpp"
#include "plait/error.hpp"

namespace plait::launch {
namespace {

bool changes_ranks(const Plan& plan, const LaunchCommand& command) {
  return plan.ranks > 0 && command.ranks && *command.ranks != plan.ranks;
}

/// OMP_NUM_THREADS as the command, else the environment sets it; 1 when nobody does.
int threads_of(const LaunchCommand& command) {
  const std::string name = "OMP_NUM_THREADS";
  std::string value = environment_value(name);
  for (std::size_t at = 0; at < command.argv.size(); ++at) {
    const std::string& word = command.argv[at];
    if (word.starts_with(name + "=")) value = word.substr(name.size() + 1);
    if (word == name && at + 1 < command.argv.size()) value = command.argv[at + 1];
  }
  return std::max(1, std::atoi(value.c_str()));
}

/// Whether a plan of other ranks is for as many ranks x threads as the command starts.
bool shares_out_anew(const Plan& plan, const LaunchCommand& command) {
  return plan.threads > 0 &&
         1LL * plan.ranks * plan.threads == 1LL * *command.ranks * threads_of(command);
}

void check_fits(const Plan& plan, const LaunchCommand& command) {
  const std::string name = plan.name.empty() ? "plan" : fmt::format("plan \"{}\"", plan.name);
  const Launcher& launcher = command.launcher;
  if (plan.only_for && *plan.only_for != launcher.kind) {
    throw Error(
        name,
        fmt::format("its settings are for {}, and the launcher is {}",
                    launcher_word(*plan.only_for),
                    launcher.kind == LauncherKind::none ? "none" : launcher_word(launcher.kind)),
        "start it with that MPI, or make a plan for this one");
  }
  if (launcher.kind == LauncherKind::none && plan.ranks > 1) {
    throw Error(name, fmt::format("has {} ranks, and no launcher starts them", plan.ranks),
                "put mpiexec (or srun) in front of the program");
  }
  if (plan.ranks == 0) return;
  if (command.applications.size() > 1 && command.ranks != plan.ranks) {
    throw Error(name, fmt::format("has {} ranks, and the command has several parts", plan.ranks),
                "give the parts -n so that they have as many ranks together");
  }
  if (changes_ranks(plan, command) && !shares_out_anew(plan, command)) {
    throw Error(name,
                fmt::format("has {}, and the command starts {}", counted(plan.ranks, "rank"),
                            *command.ranks),
                fmt::format("give -n {}, or make a plan for {}", plan.ranks,
                            counted(*command.ranks, "rank")));
  }
}

SaidBefore said_before(const LaunchCommand& command) {
  if (command.launcher.kind == LauncherKind::none) return {};
  const std::size_t all = options_without(command, {}).size();
  SaidBefore said;
  said.hosts = options_without(command, host_options(command.launcher.kind)).size() < all;
  said.binding =
      options_without(command, {"bind-to", "bind-to-core", "bind-to-socket"}).size() < all;
  return said;
}

/// The program parts of a command, with a wrapper around each program.
void add_programs(const LaunchCommand& command, const std::vector<std::string>& wrapper,
                  std::vector<std::string>& argv) {
  const Application& first = command.applications.front();
  std::size_t at = first.index - first.wrapper.size();
  for (const Application& part : command.applications) {
    argv.insert(argv.end(), command.argv.begin() + static_cast<std::ptrdiff_t>(at),
                command.argv.begin() + static_cast<std::ptrdiff_t>(part.index));
    argv.insert(argv.end(), wrapper.begin(), wrapper.end());
    argv.insert(argv.end(), part.argv.begin(), part.argv.end());
    at = part.index + part.argv.size();
  }
}

/// The words that stand before the program: launcher, ranks, placement, the plan's and the user's
/// options.
std::vector<std::string> launcher_part(const Plan& plan, const LaunchCommand& command,
                                       const PlacementWords& words) {
  std::vector<std::string> argv(
      command.argv.begin(),
      command.argv.begin() + static_cast<std::ptrdiff_t>(command.launcher_index));
  if (command.launcher.kind == LauncherKind::none) return argv;
  argv.push_back(command.argv[command.launcher_index]);
  std::vector<std::string> drop = words.drop;
  if (plan.ranks > 0 && command.applications.size() == 1) {
    argv.insert(argv.end(), {"-n", std::to_string(plan.ranks)});
    const std::vector<std::string> ranks = rank_options(command.launcher.kind);
    drop.insert(drop.end(), ranks.begin(), ranks.end());
  }
  argv.insert(argv.end(), words.options.begin(), words.options.end());
  argv.insert(argv.end(), plan.launcher_options.begin(), plan.launcher_options.end());
  const std::vector<std::string> kept = options_without(command, drop);
  argv.insert(argv.end(), kept.begin(), kept.end());
  return argv;
}

/// The same command with variables passed on to other nodes.
std::vector<std::string> exported(const LaunchCommand& command, std::vector<std::string> argv,
                                  const std::map<std::string, std::string>& environment) {
  if (environment.empty() || command.launcher.kind == LauncherKind::none) return argv;
  const LaunchCommand whole = parse_command(command.launcher, argv, command.launcher_index);
  return exporting_command(whole, {environment.begin(), environment.end()});
}

}  // namespace

PlannedCommand command_of(const Plan& plan, const LaunchCommand& command,
                          const std::filesystem::path& folder) {
  check_fits(plan, command);
  PlannedCommand result;
  PlacementWords words;
  if (!plan.places.empty()) {
    words = placement_words(plan, command.launcher, folder, said_before(command));
  }
  result.environment = plan.environment;
  result.environment.insert(words.environment.begin(), words.environment.end());
  if (plan.threads > 0) result.environment["OMP_NUM_THREADS"] = std::to_string(plan.threads);
  std::vector<std::string> binder;
  if (words.binder) {
    binder = {(install_layout().libexec / kBinderName).string(), (folder / "places").string()};
  }
  std::vector<std::string> argv = launcher_part(plan, command, words);
  add_programs(command, binder, argv);
  for (const auto& [name, value] : result.environment) {
    override_assignments(argv, name + "=" + value);
  }
  result.argv = exported(command, std::move(argv), result.environment);
  result.files = std::move(words.files);
  result.notes = std::move(words.notes);
  if (changes_ranks(plan, command)) {
    result.notes.push_back(fmt::format("the plan has {} x {} threads in place of {} x {}",
                                       counted(plan.ranks, "rank"), plan.threads,
                                       counted(*command.ranks, "rank"), threads_of(command)));
  }
  return result;
}

PlannedCommand command_of(const Plan& plan, const Launcher& launcher,
                          const std::vector<std::string>& program,
                          const std::filesystem::path& folder) {
  std::vector<std::string> argv;
  if (launcher.kind != LauncherKind::none) {
    const char* usual = launcher.kind == LauncherKind::slurm ? "srun" : "mpiexec";
    argv.push_back(launcher.name.empty() ? usual : launcher.name);
  }
  argv.insert(argv.end(), program.begin(), program.end());
  return command_of(plan, parse_command(launcher, argv), folder);
}

}  // namespace plait::launch
