// SPDX-License-Identifier: BSD-3-Clause
// A batch script for Slurm that starts a program by a plan.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/shell_word.hpp"
#include "launch/plan.hpp"
#include "launch/plan_words.hpp"
#include "plait/error.hpp"

namespace plait::launch {
namespace {

/// Writes the hosts of the ranks in rank order, from the nodes that the job got.
std::string hosts_text(const Plan& plan) {
  return fmt::format(
      "\n# Node of each rank, counted in the order of the job's nodes.\n"
      "nodes=($(scontrol show hostnames \"$SLURM_JOB_NODELIST\"))\n"
      "for node in {}; do\n"
      "  echo \"${{nodes[node]}}\"\n"
      "done > \"$files/hosts\"\n",
      fmt::join(node_of_rank(plan), " "));
}

}  // namespace

std::string slurm_script(const Plan& plan, const std::vector<std::string>& program) {
  if (plan.ranks < 1) {
    throw Error(plan.name.empty() ? "plan" : plan.name, "does not say how many ranks there are",
                "a script needs their number");
  }
  const std::size_t nodes = std::max<std::size_t>(1, nodes_of(plan).size());
  PlannedCommand command = command_of(plan, {LauncherKind::slurm, "", "srun", ""}, program, "@");
  command.environment.erase("SLURM_HOSTFILE");
  std::string text = fmt::format(
      "#!/bin/bash\n#SBATCH --nodes={}\n#SBATCH --ntasks={}\n#SBATCH --exclusive\n"
      "# srun starts MPI programs where Slurm and the MPI library agree: --mpi=pmix, --mpi=pmi2.\n",
      nodes, plan.ranks);
  for (const auto& [name, value] : command.environment) {
    text += fmt::format("export {}={}\n", name, shell_word(value));
  }
  if (!command.files.empty()) {
    text +=
        "\n# A folder that all nodes see.\nfiles=$(mktemp -d \"$PWD/plait-XXXXXX\")\n"
        "trap 'rm -r \"$files\"' EXIT\n";
  }
  if (command.files.count("hosts") != 0) {
    text += hosts_text(plan) + "export SLURM_HOSTFILE=$files/hosts\n";
  }
  if (const auto places = command.files.find("places"); places != command.files.end()) {
    text += "\n# The hardware threads of each rank.\ncat > \"$files/places\" <<'END'\n" +
            places->second + "END\n";
  }
  text += "\n";
  for (const std::string& word : command.argv) {
    const bool file = word.compare(0, 2, "@/") == 0;
    text += (&word == command.argv.data() ? "" : " ") +
            (file ? "\"$files\"" + word.substr(1) : shell_word(word));
  }
  return text + "\n";
}

}  // namespace plait::launch
