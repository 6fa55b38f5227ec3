// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether Slurm can be used: its commands, its controller, the job of this process.
#include "launcher/slurm_state.hpp"

#include <fmt/format.h>

#include <regex>

#include "base/json.hpp"
#include "base/subprocess.hpp"
#include "plait/error.hpp"

namespace plait::launcher {
namespace {

/// Why a command of Slurm failed: its fatal error, else the last line that it wrote.
std::string reason_of(const CommandResult& result, std::chrono::milliseconds limit) {
  if (result.timed_out) return fmt::format("no answer in {} ms", limit.count());
  const std::string& text = result.err.empty() ? result.out : result.err;
  std::smatch match;
  if (std::regex_search(text, match, std::regex("fatal: ([^\n]+)"))) return match[1];
  if (std::regex_search(text, match, std::regex("([^\n]+)\n*$"))) return match[1];
  return fmt::format("scontrol ping ended with exit code {}", result.exit_code);
}

void ask_version(SlurmState& slurm, std::chrono::milliseconds limit) {
  const std::string& command = slurm.srun.empty() ? slurm.sbatch : slurm.srun;
  const CommandResult result = run_command({command, "--version"}, limit);
  std::smatch match;
  if (result.exit_code == 0 &&
      std::regex_search(result.out, match, std::regex(R"(slurm\S* (\d[\w.]*))")))
    slurm.version = match[1];
}

void ask_controller(SlurmState& slurm, std::chrono::milliseconds limit) {
  const std::string scontrol = find_in_path("scontrol");
  if (scontrol.empty()) {
    slurm.problem = "scontrol is not in PATH";
    return;
  }
  const CommandResult result = run_command({scontrol, "ping"}, limit);
  std::smatch match;
  slurm.reachable = std::regex_search(result.out, match, std::regex(R"(at (\S+) is UP)"));
  if (slurm.reachable)
    slurm.controller = match[1];
  else
    slurm.problem = reason_of(result, limit);
}

}  // namespace

std::optional<SlurmState> find_slurm(std::chrono::milliseconds limit) {
  SlurmState slurm;
  slurm.srun = find_in_path("srun");
  slurm.sbatch = find_in_path("sbatch");
  if (slurm.srun.empty() && slurm.sbatch.empty()) return std::nullopt;
  try {
    ask_version(slurm, limit);
    ask_controller(slurm, limit);
    slurm.job = slurm_allocation();
  } catch (const Error& error) {
    slurm.problem = error.what();
  }
  return slurm;
}

std::string slurm_text(const std::optional<SlurmState>& slurm) {
  if (!slurm) return "none: neither srun nor sbatch in PATH";
  std::string text = slurm->version.empty() ? "" : slurm->version + ", ";
  if (slurm->srun.empty())
    text += "sbatch without srun";
  else
    text += slurm->sbatch.empty() ? "srun without sbatch" : "srun and sbatch";
  text += slurm->reachable ? fmt::format("; slurmctld answers on {}", slurm->controller)
                           : "; no slurmctld answers";
  if (!slurm->problem.empty()) text += fmt::format(" ({})", slurm->problem);
  if (slurm->job) text += "; " + allocation_text(*slurm->job);
  return text;
}

nlohmann::json slurm_to_json(const std::optional<SlurmState>& slurm) {
  if (!slurm) return nullptr;
  nlohmann::json job;
  if (slurm->job) {
    job = {{"id", slurm->job->job}, {"nodes", nlohmann::json::array()}};
    for (const AllocatedNode& node : slurm->job->nodes)
      job["nodes"].push_back({{"name", node.name}, {"cpus", node.cpus}, {"tasks", node.tasks}});
  }
  return {{"srun", slurm->srun},
          {"sbatch", slurm->sbatch},
          {"version", slurm->version},
          {"reachable", slurm->reachable},
          {"controller", slurm->controller},
          {"problem", slurm->problem},
          {"job", job}};
}

}  // namespace plait::launcher
