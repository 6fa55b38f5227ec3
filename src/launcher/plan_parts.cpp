// SPDX-License-Identifier: BSD-3-Clause
// Plans for a job of several programs: which rank belongs to which, and what each of them gets.
#include "launcher/plan_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "plait/error.hpp"
#include "text/counted.hpp"

namespace plait::launcher {
namespace {

std::string program_name(const Application& part) {
  return std::filesystem::path(part.argv.front()).filename().string();
}

bool starts_program(const Plan& plan, const std::string& name) {
  return std::any_of(plan.parts.begin(), plan.parts.end(),
                     [&](const PlanPart& part) { return part.program == name; });
}

}  // namespace

const PlanPart* part_of_rank(const Plan& plan, int rank) {
  int end = 0;
  for (const PlanPart& part : plan.parts) {
    end += part.ranks;
    if (rank < end) return &part;
  }
  return nullptr;
}

int threads_of_rank(const Plan& plan, int rank) {
  const PlanPart* const part = part_of_rank(plan, rank);
  return part != nullptr && part->threads > 0 ? part->threads : plan.threads;
}

std::map<std::string, std::string> environment_of_part(const Plan& plan, std::size_t part) {
  if (part >= plan.parts.size()) return {};
  std::map<std::string, std::string> environment = plan.parts[part].environment;
  const int threads = plan.parts[part].threads;
  if (threads > 0) environment["OMP_NUM_THREADS"] = std::to_string(threads);
  return environment;
}

std::string parts_text(const Plan& plan) {
  std::string text;
  for (const PlanPart& part : plan.parts) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", part.ranks, part.program);
  }
  return text;
}

std::string plan_title(const Plan& plan) {
  return plan.name.empty() ? "plan" : fmt::format("plan \"{}\"", plan.name);
}

void check_parts(const Plan& plan, const LaunchCommand& command) {
  const std::size_t parts = command.applications.size();
  if (command.launcher.kind == LauncherKind::slurm && parts > 1 && !plan.places.empty()) {
    throw Error("srun",
                "gives each program of a job its own nodes, so a plan cannot place their ranks",
                "use the mpiexec of Open MPI, MPICH or Intel MPI inside the Slurm job");
  }
  if (plan.parts.empty()) return;
  if (parts != plan.parts.size()) {
    throw Error(
        plan_title(plan),
        fmt::format("for {}, but the command has {}", parts_text(plan), counted(parts, "program")),
        "give its programs in this order, separated by \":\"");
  }
  for (std::size_t i = 0; i < parts; ++i) {
    const PlanPart& part = plan.parts[i];
    const std::string name = program_name(command.applications[i]);
    if (name != part.program && starts_program(plan, name)) {
      throw Error(
          plan_title(plan),
          fmt::format("for {}, but program {} of the command is {}", parts_text(plan), i + 1, name),
          "give its programs in this order");
    }
    const std::optional<int>& ranks = command.applications[i].ranks;
    if (ranks && *ranks == part.ranks) continue;
    throw Error(plan_title(plan),
                fmt::format("has {} of {}, but the command starts {}", counted(part.ranks, "rank"),
                            part.program, ranks ? std::to_string(*ranks) : "as many as fit"),
                fmt::format("give -n {} for {}", part.ranks, part.program));
  }
}

std::vector<std::vector<std::string>> programs_between_colons(
    const std::vector<std::string>& program) {
  std::vector<std::vector<std::string>> programs(1);
  for (const std::string& word : program) {
    if (word == ":") {
      programs.emplace_back();
    } else {
      programs.back().push_back(word);
    }
  }
  return programs;
}

std::vector<std::string> arguments_of_parts(const Plan& plan,
                                            const std::vector<std::string>& program) {
  const std::vector<std::vector<std::string>> programs = programs_between_colons(program);
  const bool alike = std::all_of(plan.parts.begin(), plan.parts.end(), [&](const PlanPart& part) {
    return part.program == plan.parts.front().program;
  });
  const bool one = programs.size() == 1 && alike;
  const bool missing = std::any_of(programs.begin(), programs.end(),
                                   [](const auto& arguments) { return arguments.empty(); });
  if (missing || (!one && programs.size() != plan.parts.size())) {
    throw Error(
        plan_title(plan),
        fmt::format("needs {}: {}", counted(plan.parts.size(), "program"), parts_text(plan)),
        "give them in this order, separated by \":\"");
  }
  std::vector<std::string> argv;
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    if (i > 0) argv.emplace_back(":");
    argv.insert(argv.end(), {"-n", std::to_string(plan.parts[i].ranks)});
    const std::vector<std::string>& arguments = programs[one ? 0 : i];
    argv.insert(argv.end(), arguments.begin(), arguments.end());
  }
  return argv;
}

}  // namespace plait::launcher
