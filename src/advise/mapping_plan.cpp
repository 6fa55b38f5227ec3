// SPDX-License-Identifier: BSD-3-Clause
// Writes a mapping as a plan and as launcher options.
#include "advise/mapping_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/json_file.hpp"
#include "base/secrets.hpp"
#include "base/shell_word.hpp"
#include "launcher/command_options.hpp"
#include "plait/error.hpp"

namespace plait::advise {
namespace {

using launcher::LauncherKind;

launcher::PredictedTime predicted(const mapping::Interval& time) {
  return {time.value, time.low, time.high};
}

std::string command_text(const launcher::PlannedCommand& command) {
  std::string text;
  for (const auto& [name, value] : command.environment) {
    text += fmt::format("{}={} ", name, shell_word(value));
  }
  for (const std::string& word : command.argv) text += shell_word(word) + " ";
  if (!text.empty()) text.pop_back();
  return text;
}

/// The run's own command, where it started by a launcher of that kind.
std::optional<launcher::LaunchCommand> command_of_run(const report::Profile& profile) {
  try {
    return launcher::understand_command(profile.command);
  } catch (const Error&) {
    return {};  // its launcher is not on this machine
  }
}

/// The programs of a run with several, each with the threads that its command gives it.
/// @throws Error when the command does not say how many ranks each has.
std::vector<launcher::PlanPart> parts_of(const launcher::LaunchCommand& of_run) {
  std::vector<launcher::PlanPart> parts;
  if (of_run.applications.size() < 2) return parts;
  for (std::size_t i = 0; i < of_run.applications.size(); ++i) {
    const launcher::Application& program = of_run.applications[i];
    const std::string name = std::filesystem::path(program.argv.front()).filename();
    if (!program.ranks) {
      throw Error(name, "the command of the run does not say how many ranks it has",
                  "run it again with -n for each program");
    }
    const std::string threads = launcher::variable_in_part(of_run, i, "OMP_NUM_THREADS");
    parts.push_back({name, *program.ranks, std::max(0, std::atoi(threads.c_str())), {}});
  }
  return parts;
}

/// The programs of a run without its launcher, separated by ":".
std::vector<std::string> programs_of(const launcher::LaunchCommand& of_run) {
  if (of_run.applications.size() == 1) return of_run.applications.front().argv;
  std::vector<std::string> programs;
  for (const launcher::Application& program : of_run.applications) {
    if (!programs.empty()) programs.emplace_back(":");
    programs.insert(programs.end(), program.wrapper.begin(), program.wrapper.end());
    programs.insert(programs.end(), program.argv.begin(), program.argv.end());
  }
  return programs;
}

launcher::PlannedCommand planned(const launcher::Plan& plan, LauncherKind kind,
                                 const std::vector<std::string>& program,
                                 const std::optional<launcher::LaunchCommand>& of_run,
                                 const std::filesystem::path& folder) {
  if (of_run && of_run->launcher.kind == kind && program.empty()) {
    return launcher::command_of(plan, *of_run, folder);
  }
  const bool openmpi = kind == LauncherKind::openmpi4 || kind == LauncherKind::openmpi5;
  const std::string name = openmpi ? "mpirun" : kind == LauncherKind::slurm ? "srun" : "mpiexec";
  return launcher::command_of(plan, {kind, "", name, ""},
                              program.empty() ? programs_of(*of_run) : program, folder);
}

}  // namespace

std::vector<std::string> emit_targets() {
  return {"plan", "openmpi4", "openmpi5", "mpich", "intel", "slurm"};
}

launcher::Plan plan_of(const report::MappingReport& report, const MapNodes& nodes) {
  launcher::Plan plan;
  plan.name = "map by " + report.result.method;
  plan.reason = report::mapping_verdict(report);
  plan.source = report.input;
  plan.ranks = report.request.graph.size();
  for (const int slot : report.result.slot_of) {
    const auto node = static_cast<std::size_t>(nodes.slots.node_of(slot));
    const std::string name =
        node < nodes.slots.nodes.size() ? nodes.slots.nodes[node] : fmt::format("node{}", node);
    launcher::RankPlaces& place = plan.places.emplace_back();
    place.node = name;
    place.pus = nodes.pus[static_cast<std::size_t>(slot)];
  }
  plan.before = predicted(report.gain.before_s);
  plan.after = predicted(report.gain.after_s);
  plan.predicted_of = report.request.grid ? "one exchange" : "all its messages";
  return plan;
}

void emit(const std::string& kind, const std::string& folder, launcher::Plan plan,
          const std::vector<std::string>& program, const report::Profile* profile,
          report::MappingReport& report) {
  const std::filesystem::path directory = folder;
  const std::optional<LauncherKind> launcher = launcher::launcher_of_key(kind);
  std::optional<launcher::LaunchCommand> of_run;
  if (profile != nullptr) of_run = command_of_run(*profile);
  if (of_run) plan.parts = parts_of(*of_run);
  if (launcher && program.empty() && !of_run) {
    throw Error("--emit " + kind, "no program to start",
                fmt::format("give it at the end: plait map ... --emit {} -- ./app", kind));
  }
  launcher::PlannedCommand command;
  if (launcher) {
    command = planned(plan, *launcher, program, of_run, directory);
    if (launcher == LauncherKind::slurm) {
      command.files["job.sh"] =
          launcher::slurm_script(plan, program.empty() ? programs_of(*of_run) : program);
    }
  }
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  launcher::save_plan(directory / "plan.json", plan);
  report.written.push_back((directory / "plan.json").string());
  for (const auto& [name, content] : command.files) {
    write_text_file(directory / name, content);
    report.written.push_back((directory / name).string());
  }
  report.notes.insert(report.notes.end(), command.notes.begin(), command.notes.end());
  report.command = command_text(command);
  if (program.empty() && report.command.find(kMask) != std::string::npos) {
    report.notes.push_back(
        fmt::format("run.json does not store secrets: replace {} in the command, or give the "
                    "program at the end: plait map ... -- ./app",
                    kMask));
  }
}

}  // namespace plait::advise
