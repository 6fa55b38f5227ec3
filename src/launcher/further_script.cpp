// SPDX-License-Identifier: BSD-3-Clause
// Writes the start lines of aprun, omplace and numactl.
#include "launcher/further_script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/shell_word.hpp"
#include "launcher/plan_options.hpp"
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

CpuSet all_of(const std::vector<CpuSet>& places) {
  CpuSet all;
  for (const CpuSet& place : places) all |= place;
  return all;
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

std::string omplace_line(const Plan& plan, const std::string& program) {
  const EqualNodes nodes = equal_nodes(plan, "omplace");
  const bool here = only_here(plan);
  return fmt::format("mpirun {}-np {} omplace -nt {} -c {} {}\n",
                     here ? "" : fmt::format("{} ", fmt::join(nodes.names, ",")),
                     nodes.places.size(), std::max(1, plan.threads), all_of(nodes.places).format(),
                     program);
}

std::string numactl_lines(const Plan& plan, const std::string& program) {
  std::string text =
      "# The launcher's options decide on which node a rank runs; this script binds it there.\n"
      "if [ \"$1\" = bound ]; then\n"
      "  shift\n"
      "  case ${OMPI_COMM_WORLD_RANK-${PMIX_RANK-${PMI_RANK-$SLURM_PROCID}}} in\n";
  for (std::size_t rank = 0; rank < plan.places.size(); ++rank) {
    const CpuSet& place = plan.places[rank].pus;
    if (place.empty()) continue;
    text += fmt::format("    {}) exec numactl --physcpubind={} \"$@\" ;;\n", rank, list_of(place));
  }
  text += "    *) exec \"$@\" ;;\n  esac\nfi\n";
  return text + fmt::format("mpirun -np {} bash \"$0\" bound {}\n", plan.ranks, program);
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
  std::string text = "#!/bin/bash\n";
  if (plan.threads > 0) text += fmt::format("export OMP_NUM_THREADS={}\n", plan.threads);
  for (const auto& [name, value] : plan.environment) {
    if (name != "OMP_NUM_THREADS") text += fmt::format("export {}={}\n", name, shell_word(value));
  }
  const std::string command = command_text(program);
  if (launcher == FurtherLauncher::aprun) return text + aprun_line(plan, command);
  if (launcher == FurtherLauncher::omplace) return text + omplace_line(plan, command);
  return text + numactl_lines(plan, command);
}

}  // namespace plait::launcher
