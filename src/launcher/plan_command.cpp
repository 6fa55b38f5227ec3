// SPDX-License-Identifier: BSD-3-Clause
// Turns a plan into a launcher command line.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/environment.hpp"
#include "base/layout.hpp"
#include "launcher/command_options.hpp"
#include "launcher/launcher_traits.hpp"
#include "launcher/plan.hpp"
#include "launcher/plan_options.hpp"
#include "launcher/plan_parts.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"

namespace plait::launcher {
namespace {

bool changes_ranks(const Plan& plan, const LaunchCommand& command) {
  return plan.ranks > 0 && command.ranks && *command.ranks != plan.ranks;
}

/// OMP_NUM_THREADS from the command, else from the environment, else 1.
int threads_of(const LaunchCommand& command) {
  const std::string name = "OMP_NUM_THREADS";
  const std::string given = variable_in_part(command, 0, name);
  return std::max(1, std::atoi((given.empty() ? environment_value(name) : given).c_str()));
}

/// True if a plan with another number of ranks has as many ranks x threads as the command.
bool keeps_thread_count(const Plan& plan, const LaunchCommand& command) {
  return plan.threads > 0 &&
         1LL * plan.ranks * plan.threads == 1LL * *command.ranks * threads_of(command);
}

void check_fits(const Plan& plan, const LaunchCommand& command) {
  const std::string name = plan_title(plan);
  const Launcher& launcher = command.launcher;
  if (plan.only_for && *plan.only_for != launcher.kind) {
    throw Error(
        name,
        fmt::format("its settings are for {}, but the launcher is {}", launcher_key(*plan.only_for),
                    launcher.kind == LauncherKind::none ? "none" : launcher_key(launcher.kind)),
        "use a launcher of that MPI, or make a plan for this one");
  }
  if (launcher.kind == LauncherKind::none && plan.ranks > 1) {
    throw Error(name, fmt::format("has {} ranks, but the command has no launcher", plan.ranks),
                "put mpiexec (or srun) in front of the program");
  }
  check_parts(plan, command);
  if (plan.ranks == 0) return;
  if (command.applications.size() > 1 && command.ranks != plan.ranks) {
    throw Error(name, fmt::format("has {} ranks, but the command has several parts", plan.ranks),
                "set -n of each part so that the sum matches the plan");
  }
  if (changes_ranks(plan, command) && !keeps_thread_count(plan, command)) {
    throw Error(name,
                fmt::format("has {}, but the command starts {}", counted(plan.ranks, "rank"),
                            *command.ranks),
                fmt::format("give -n {}, or make a plan for {}", plan.ranks,
                            counted(*command.ranks, "rank")));
  }
}

SaidBefore said_before(const LaunchCommand& command) {
  if (command.launcher.kind == LauncherKind::none) return {};
  const std::size_t all = options_without(command, {}).size();
  SaidBefore said;
  said.programs = command.applications.size();
  said.hosts =
      options_without(command, traits_of(command.launcher.kind).facts().hosts).size() < all;
  said.binding =
      options_without(command, {"bind-to", "bind-to-core", "bind-to-socket"}).size() < all;
  return said;
}

/// The options of the first part that the plan adds, and in `drop` those that they replace.
std::vector<std::string> added_options(const Plan& plan, const LaunchCommand& command,
                                       const PlacementOptions& added,
                                       std::vector<std::string>& drop) {
  std::vector<std::string> options;
  drop = added.drop;
  if (plan.ranks > 0 && command.applications.size() == 1) {
    options = {"-n", std::to_string(plan.ranks)};
    const std::vector<std::string>& ranks = traits_of(command.launcher.kind).facts().ranks;
    drop.insert(drop.end(), ranks.begin(), ranks.end());
  }
  options.insert(options.end(), added.options.begin(), added.options.end());
  options.insert(options.end(), plan.launcher_options.begin(), plan.launcher_options.end());
  return options;
}

/// Gives a part its own variables: those that it already sets, and the others by means of env.
void set_variables(const Plan& plan, std::size_t part, std::vector<std::string>& argv) {
  std::vector<std::string> missing;
  for (const auto& [name, value] : environment_of_part(plan, part)) {
    const std::string assignment = name + "=" + value;
    if (!override_assignments(argv, assignment)) missing.push_back(assignment);
  }
  if (missing.empty()) return;
  argv.emplace_back("env");
  argv.insert(argv.end(), missing.begin(), missing.end());
}

/// The launcher and its programs, with the options of plan and user, and with `binder` in front of
/// each program.
std::vector<std::string> planned_argv(const Plan& plan, const LaunchCommand& command,
                                      const PlacementOptions& added,
                                      const std::vector<std::string>& binder) {
  const bool launched = command.launcher.kind != LauncherKind::none;
  std::vector<std::string> argv;
  if (launched) {
    argv.assign(command.argv.begin(),
                command.argv.begin() + static_cast<std::ptrdiff_t>(command.launcher_index + 1));
  }
  std::vector<std::string> drop;
  const std::vector<std::string> options = added_options(plan, command, added, drop);
  for (std::size_t i = 0; i < command.applications.size(); ++i) {
    const Application& part = command.applications[i];
    std::vector<std::string> before;
    if (launched && i == 0) before = options;
    if (launched) {
      const std::vector<std::string> kept = options_without(command, drop, i);
      before.insert(before.end(), kept.begin(), kept.end());
    }
    before.insert(before.end(), part.wrapper.begin(), part.wrapper.end());
    set_variables(plan, i, before);
    if (i > 0) argv.emplace_back(":");
    argv.insert(argv.end(), before.begin(), before.end());
    argv.insert(argv.end(), binder.begin(), binder.end());
    argv.insert(argv.end(), part.argv.begin(), part.argv.end());
  }
  return argv;
}

/// The command with variables passed to other nodes.
std::vector<std::string> exported(const LaunchCommand& command, std::vector<std::string> argv,
                                  const std::map<std::string, std::string>& environment) {
  if (environment.empty() || command.launcher.kind == LauncherKind::none) return argv;
  const LaunchCommand whole = parse_command(command.launcher, argv, command.launcher_index);
  return exporting_command(whole, {environment.begin(), environment.end()});
}

}  // namespace

std::map<std::string, std::string> environment_of(const Plan& plan,
                                                  const std::filesystem::path& folder) {
  std::map<std::string, std::string> environment = plan.environment;
  if (plan.files.empty()) return environment;
  const std::string placeholder = kFilesFolder;
  for (auto& [name, value] : environment) {
    const std::size_t at = value.find(placeholder);
    if (at != value.npos) value.replace(at, placeholder.size(), folder.string());
  }
  return environment;
}

/// True if a part has its own value of a variable.
bool is_of_a_part(const Plan& plan, const std::string& name) {
  for (std::size_t part = 0; part < plan.parts.size(); ++part) {
    if (environment_of_part(plan, part).contains(name)) return true;
  }
  return false;
}

PlannedCommand command_of(const Plan& plan, const LaunchCommand& command,
                          const std::filesystem::path& folder) {
  check_fits(plan, command);
  PlannedCommand result;
  PlacementOptions added;
  if (!plan.places.empty()) {
    added = placement_options(plan, command.launcher, folder, said_before(command));
  }
  result.environment = environment_of(plan, folder);
  result.environment.insert(added.environment.begin(), added.environment.end());
  if (plan.threads > 0) result.environment["OMP_NUM_THREADS"] = std::to_string(plan.threads);
  std::vector<std::string> binder;
  if (added.binder) {
    binder = {(install_layout().libexec / kBinderName).string(), (folder / "places").string()};
  }
  std::vector<std::string> argv = planned_argv(plan, command, added, binder);
  for (const auto& [name, value] : result.environment) {
    if (!is_of_a_part(plan, name)) override_assignments(argv, name + "=" + value);
  }
  result.argv = exported(command, std::move(argv), result.environment);
  result.files = std::move(added.files);
  result.files.insert(plan.files.begin(), plan.files.end());
  result.notes = std::move(added.notes);
  if (changes_ranks(plan, command)) {
    result.notes.push_back(fmt::format("the plan has {} x {} threads instead of {} x {}",
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
    argv.push_back(launcher.name.empty() ? traits_of(launcher.kind).facts().command
                                         : launcher.name);
  }
  const std::vector<std::string> started =
      plan.parts.empty() ? program : arguments_of_parts(plan, program);
  argv.insert(argv.end(), started.begin(), started.end());
  return command_of(plan, parse_command(launcher, argv), folder);
}

}  // namespace plait::launcher
