// SPDX-License-Identifier: BSD-3-Clause
// Turns a placement request into a plan.
#include "advise/placement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advise/slurm_job.hpp"
#include "launcher/plan_placement.hpp"
#include "machine/open_machine.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"

namespace plait::advise {
namespace {

/// A name for each node: the user's, else this host's, else node0, node1 ...
std::vector<std::string> hosts_of(const PlacementRequest& options, int nodes) {
  if (!options.hosts.empty()) {
    if (static_cast<int>(options.hosts.size()) < nodes) {
      throw Error(options.of_job ? "the Slurm job" : "--hosts",
                  fmt::format("names {} hosts for {} nodes", options.hosts.size(), nodes),
                  options.of_job ? "ask Slurm for more" : "name one host for each node");
    }
    return options.hosts;
  }
  if (nodes == 1) return {""};
  std::vector<std::string> hosts;
  for (int node = 0; node < nodes; ++node) hosts.push_back(fmt::format("node{}", node));
  return hosts;
}

/// If the job has only a part of each node, its cores cannot be chosen.
void note_part_of_node(const PlacementRequest& options, PlacedRanks& placed) {
  const auto cores = static_cast<int>(placed.machine.topology.allowed_cores().size());
  if (options.cpus_of_job == 0 || options.cpus_of_job >= cores) return;
  placed.placement.notes.push_back(fmt::format(
      "the job has {} per node, but {} has {} cores; request whole nodes with --exclusive",
      counted(options.cpus_of_job, "CPU"), placed.machine.host, cores));
}

}  // namespace

void take_job(PlacementRequest& options) {
  if (!options.hosts.empty() || !options.machine.empty()) return;
  const auto allocation = launcher::slurm_allocation();
  if (!allocation) return;
  options.hosts = launcher::node_names(*allocation);
  options.of_job = true;
  options.cpus_of_job =
      std::min_element(allocation->nodes.begin(), allocation->nodes.end(),
                       [](const auto& a, const auto& b) { return a.cpus < b.cpus; })
          ->cpus;
  announce_job(*allocation);
}

PlacedRanks place_ranks(const PlacementRequest& options) {
  launcher::check_host_names("--hosts", options.hosts);
  PlacedRanks placed;
  placed.machine = machine::open_machine(options.machine);
  placement::Intent intent = placement::parse_intent(options.intent);
  if (!intent.nodes && options.hosts.size() > 1) {
    const int hosts = static_cast<int>(options.hosts.size());
    intent.nodes = options.of_job ? std::min(hosts, intent.ranks.value_or(hosts)) : hosts;
  }
  placed.placement = placement::place_ranks(intent, placed.machine.topology, options.intent);
  placed.plan = launcher::plan_of(placed.placement, intent, placed.machine.topology,
                                  hosts_of(options, placed.placement.nodes));
  note_part_of_node(options, placed);
  placed.plan.name = options.intent;
  placed.plan.source = fmt::format("plait place \"{}\"", options.intent);
  return placed;
}

}  // namespace plait::advise
