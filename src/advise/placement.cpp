// SPDX-License-Identifier: BSD-3-Clause
// Turns a placement request into a plan.
#include "advise/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "advise/slurm_job.hpp"
#include "launcher/plan_parts.hpp"
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
  placed.parts.front().notes.push_back(fmt::format(
      "the job has {} per node, but {} has {} cores; request whole nodes with --exclusive",
      counted(options.cpus_of_job, "CPU"), placed.machine.host, cores));
}

}  // namespace

void take_job(PlacementRequest& options) {
  if (!options.hosts.empty() || !options.machine.empty()) return;
  const auto allocation = launcher::slurm_allocation();
  if (!allocation) return;
  const auto [least, most] =
      std::minmax_element(allocation->nodes.begin(), allocation->nodes.end(),
                          [](const auto& a, const auto& b) { return a.cpus < b.cpus; });
  if (least->cpus != most->cpus) {
    throw Error("Slurm job " + allocation->job,
                fmt::format("its nodes differ: {} on {}, {} on {}", counted(least->cpus, "CPU"),
                            least->name, counted(most->cpus, "CPU"), most->name),
                "name equal nodes with --hosts, or map to nodes of several kinds with plait map");
  }
  options.hosts = launcher::node_names(*allocation);
  options.of_job = true;
  options.cpus_of_job = least->cpus;
  announce_job(*allocation);
}

namespace {

/// The requests of the parts, which ":" separates, without the blanks around them.
std::vector<std::string> requests_of(const std::string& text) {
  std::vector<std::string> requests;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    std::string one = text.substr(at, end - at);
    one.erase(0, std::min(one.find_first_not_of(' '), one.size()));
    one.erase(one.find_last_not_of(' ') + 1);
    requests.push_back(std::move(one));
    at = end + 1;
  }
  return requests;
}

/// The request of one part; without a number of nodes, it is for all hosts.
placement::Intent intent_of(const PlacementRequest& options, const std::string& text) {
  placement::Intent intent = placement::parse_intent(text);
  if (!intent.nodes && options.hosts.size() > 1) {
    const int hosts = static_cast<int>(options.hosts.size());
    intent.nodes = options.of_job ? std::min(hosts, intent.ranks.value_or(hosts)) : hosts;
  }
  return intent;
}

/// Adds a part to the plan of a job with several.
void add_part(launcher::Plan own, const std::vector<std::string>& program, launcher::Plan& plan) {
  launcher::PlanPart part;
  part.program = std::filesystem::path(program[launcher::behind_wrappers(program, 0)]).filename();
  part.ranks = own.ranks;
  part.threads = own.threads;
  part.environment = std::move(own.environment);
  plan.ranks += own.ranks;
  plan.places.insert(plan.places.end(), own.places.begin(), own.places.end());
  plan.parts.push_back(std::move(part));
}

}  // namespace

PlacedRanks place_ranks(const PlacementRequest& options) {
  launcher::check_host_names("--hosts", options.hosts);
  PlacedRanks placed;
  placed.machine = machine::open_machine(options.machine);
  const std::vector<std::string> texts = requests_of(options.intent);
  const auto programs = launcher::programs_between_colons(options.program);
  if (programs.size() > 1 && programs.size() != texts.size()) {
    throw Error("--program",
                fmt::format("{} for {}", counted(programs.size(), "program"),
                            counted(texts.size(), "request")),
                "give a request for each program: \"4 ranks x 8 threads : 2 ranks x 1 thread\"");
  }
  machine::Topology left = placed.machine.topology;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const placement::Intent intent = intent_of(options, texts[i]);
    const std::string text = i == 0 ? texts[i] : texts[i] + ", beside the parts before it";
    placement::Placement part = placement::place_ranks(intent, left, text);
    launcher::Plan own =
        launcher::plan_of(part, intent, placed.machine.topology, hosts_of(options, part.nodes));
    if (texts.size() == 1) {
      placed.plan = std::move(own);
    } else {
      add_part(std::move(own), programs[programs.size() == 1 ? 0 : i], placed.plan);
    }
    for (const placement::RankSpot& rank : part.ranks) left.allowed_pus -= rank.pus;
    placed.parts.push_back(std::move(part));
  }
  note_part_of_node(options, placed);
  placed.plan.name = options.intent;
  placed.plan.source = fmt::format("plait place \"{}\"", options.intent);
  return placed;
}

}  // namespace plait::advise
