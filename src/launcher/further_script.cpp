// SPDX-License-Identifier: BSD-3-Clause
// Writes the start lines of aprun, omplace and numactl.
#include "launcher/further_script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/shell_word.hpp"
#include "launcher/plan_options.hpp"
#include "launcher/plan_parts.hpp"
#include "launcher/script_text.hpp"
#include "plait/error.hpp"

namespace plait::launcher {
namespace {

using machine::CpuSet;

/// Where the ranks of every node are bound, and how many ranks a node has.
struct EqualNodes {
  std::vector<CpuSet> places;
  std::vector<std::string> names;
};

EqualNodes equal_nodes(const Plan& plan, const std::string& launcher) {
  EqualNodes equal{list_for_all_nodes(plan), {}};
  for (const PlanNode& node : nodes_of(plan)) equal.names.push_back(node.name);
  const auto ranks = equal.places.size() * equal.names.size();
  if (equal.places.empty() || static_cast<int>(ranks) != plan.ranks || !ranks_adjacent(plan)) {
    throw Error(launcher, "takes one list of cores for all nodes, and nodes differ in this plan",
                "give each node the same number of ranks, or use numactl");
  }
  return equal;
}

std::string list_of(const CpuSet& place) {
  return fmt::format("{}", fmt::join(place.indices(), ","));
}

std::string aprun_line(const Plan& plan, const std::string& program) {
  const EqualNodes nodes = equal_nodes(plan, "aprun");
  std::vector<std::string> lists;
  for (const CpuSet& place : nodes.places) lists.push_back(list_of(place));
  return fmt::format("aprun -n {} -N {} -d {} -cc {} {}\n", plan.ranks, nodes.places.size(),
                     std::max(1, plan.threads), fmt::join(lists, ":"), program);
}

/// omplace takes a list of one CPU per thread: those of the first rank, of the second ...
std::string omplace_list(const Plan& plan, const std::vector<CpuSet>& places) {
  if (plan.threads < 1) {
    throw Error("omplace", "takes one core per thread, and this plan has no number of threads",
                "request it, such as \"4 ranks x 2 threads\"");
  }
  if (ranks_overlap(plan)) {
    throw Error("omplace", "gives each thread its own core, and ranks share places in this plan",
                "request fewer ranks, or use numactl");
  }
  std::vector<int> list;
  for (const CpuSet& place : places) {
    const std::vector<int> pus = place.indices();
    if (static_cast<int>(pus.size()) < plan.threads) {
      throw Error("omplace",
                  fmt::format("gives each thread its own core, and a rank of {} threads has {}",
                              plan.threads, pus.size()),
                  "request fewer threads, or use numactl");
    }
    list.insert(list.end(), pus.begin(), pus.begin() + plan.threads);
  }
  return fmt::format("{}", fmt::join(list, ","));
}

std::string omplace_line(const Plan& plan, const std::string& program) {
  const EqualNodes nodes = equal_nodes(plan, "omplace");
  std::vector<std::string> names;
  for (const std::string& name : nodes.names) names.push_back(shell_word(name));
  return fmt::format("mpirun {}-np {} omplace -nt {} -c {} {}\n",
                     only_here(plan) ? "" : fmt::format("{} ", fmt::join(names, ",")),
                     nodes.places.size(), plan.threads, omplace_list(plan, nodes.places), program);
}

/// The script that binds a rank. `--all` because the launcher may have bound it elsewhere before.
std::string numactl_file(const Plan& plan) {
  std::string text =
      "rank=${OMPI_COMM_WORLD_RANK-${PMIX_RANK-${PMI_RANK-${SLURM_PROCID-}}}}\n"
      "case $rank in\n";
  for (std::size_t rank = 0; rank < plan.places.size(); ++rank) {
    const CpuSet& place = plan.places[rank].pus;
    text += place.empty() ? fmt::format("  {}) exec \"$@\" ;;\n", rank)
                          : fmt::format("  {}) cpus={} ;;\n", rank, list_of(place));
  }
  return text + fmt::format(
                    "  '') echo \"plait: error: this launcher tells ranks no number that this "
                    "script knows; start it with Open MPI, MPICH, Intel MPI or srun\" >&2\n"
                    "    exit 1 ;;\n"
                    "  *) echo \"plait: error: rank $rank has no place; start {} ranks\" >&2\n"
                    "    exit 1 ;;\n"
                    "esac\n"
                    "exec numactl --all --physcpubind=\"$cpus\" \"$@\"\n",
                    plan.ranks);
}

std::string numactl_lines(const Plan& plan, const std::string& program) {
  return written_text("bind", numactl_file(plan)) +
         "# The launcher's options decide on which node a rank runs; the file binds it there.\n" +
         fmt::format("mpirun -np {} bash \"$files/bind\" {}\n", plan.ranks, program);
}

}  // namespace

std::optional<FurtherLauncher> further_launcher(const std::string& name) {
  if (name == "aprun") return FurtherLauncher::aprun;
  if (name == "omplace") return FurtherLauncher::omplace;
  if (name == "numactl") return FurtherLauncher::numactl;
  return std::nullopt;
}

std::string further_script(const Plan& plan, FurtherLauncher launcher,
                           const std::vector<std::string>& program) {
  if (!is_bound(plan)) {
    throw Error(plan.name.empty() ? "plan" : plan.name, "it does not bind ranks",
                "request places, such as \"4 ranks x 2 threads\"");
  }
  if (!plan.parts.empty()) {
    throw Error(plan_title(plan),
                fmt::format("for {}, but this script starts one program", parts_text(plan)),
                "use openmpi4, openmpi5, mpich or intel");
  }
  std::map<std::string, std::string> environment = environment_of(plan, kScriptFolder);
  if (plan.threads > 0) environment["OMP_NUM_THREADS"] = std::to_string(plan.threads);
  std::string text = "#!/bin/bash\n";
  if (launcher == FurtherLauncher::numactl || !plan.files.empty()) text += folder_text();
  for (const auto& [name, content] : plan.files) text += written_text(name, content);
  text += exports_text(environment);
  const std::string command = command_text(program);
  if (launcher == FurtherLauncher::aprun) return text + aprun_line(plan, command);
  if (launcher == FurtherLauncher::omplace) return text + omplace_line(plan, command);
  return text + numactl_lines(plan, command);
}

}  // namespace plait::launcher
