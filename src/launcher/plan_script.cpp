// SPDX-License-Identifier: BSD-3-Clause
// Writes scripts that start a program by a plan, with the files that the launcher reads.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/shell_word.hpp"
#include "launcher/plan.hpp"
#include "launcher/plan_options.hpp"
#include "launcher/script_text.hpp"
#include "plait/error.hpp"

namespace plait::launcher {
namespace {

std::string start_text(const std::vector<std::string>& argv) {
  std::vector<std::string> parts{command_text({argv.front()})};
  for (std::size_t i = 1; i < argv.size(); ++i) parts.push_back(script_word(argv[i]));
  return fmt::format("\n{}\n", fmt::join(parts, " "));
}

/// Writes the host of each rank, taken from the nodes of the job.
std::string job_hosts_text(const Plan& plan) {
  return fmt::format(
      "\n# Node of each rank, counted in the order of the job's nodes.\n"
      "mapfile -t nodes < <(scontrol show hostnames \"$SLURM_JOB_NODELIST\")\n"
      "for node in {}; do\n"
      "  echo \"${{nodes[node]}}\"\n"
      "done > \"$files/hosts\"\n"
      "export SLURM_HOSTFILE=\"$files/hosts\"\n",
      fmt::join(node_of_rank(plan), " "));
}

}  // namespace

std::string start_script(const Plan& plan, const Launcher& launcher,
                         const std::vector<std::string>& program) {
  if (launcher.kind == LauncherKind::slurm) return slurm_script(plan, program);
  const PlannedCommand command = command_of(plan, launcher, program, kScriptFolder);
  std::string text = "#!/bin/bash\n";
  for (const std::string& note : command.notes) text += comment_text(note);
  if (!command.files.empty()) text += folder_text();
  for (const auto& [name, content] : command.files) text += written_text(name, content);
  text += exports_text(command.environment);
  return text + start_text(command.argv);
}

std::string slurm_script(const Plan& plan, const std::vector<std::string>& program) {
  if (plan.ranks < 1) {
    throw Error(plan.name.empty() ? "plan" : plan.name, "a script needs the number of ranks",
                "set ranks in the plan");
  }
  const std::size_t nodes = std::max<std::size_t>(1, nodes_of(plan).size());
  PlannedCommand command =
      command_of(plan, {LauncherKind::slurm, "", "srun", ""}, program, kScriptFolder);
  command.environment.erase("SLURM_HOSTFILE");
  std::string text = fmt::format(
      "#!/bin/bash\n#SBATCH --nodes={}\n#SBATCH --ntasks={}\n#SBATCH --exclusive\n{}"
      "# If Slurm's default does not fit the MPI library, set SLURM_MPI_TYPE=pmix (Open MPI) or "
      "pmi2\n"
      "# (MPICH) before sbatch; srun --mpi=list shows what is available.\n",
      nodes, plan.ranks, ranks_overlap(plan) ? "#SBATCH --overcommit\n" : "");
  if (!command.files.empty()) text += folder_text();
  for (const auto& [name, content] : command.files) {
    text += name == "hosts" ? job_hosts_text(plan) : written_text(name, content);
  }
  text += exports_text(command.environment);
  return text + start_text(command.argv);
}

}  // namespace plait::launcher
