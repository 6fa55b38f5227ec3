// SPDX-License-Identifier: BSD-3-Clause
// Maps processes to nodes: puts together input, nodes and costs, and finds the mapping.
#include "advise/mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "advise/mapping_nodes.hpp"
#include "advise/mapping_plan.hpp"
#include "advise/slurm_job.hpp"
#include "base/quantity.hpp"
#include "mapping/search/map_processes.hpp"
#include "mapping/search/map_within_classes.hpp"
#include "plait/error.hpp"
#include "report/finish.hpp"
#include "text/counted.hpp"
#include "text/progress.hpp"

namespace plait::advise {
namespace {

MapInput input_of(const MappingOptions& options) {
  const int inputs = static_cast<int>(!options.run.empty()) +
                     static_cast<int>(!options.graph.empty()) +
                     static_cast<int>(!options.grid.dims.empty());
  if (inputs > 1) {
    throw Error("a run, --graph and --grid cannot be used together; give one of them");
  }
  if (!options.grid.dims.empty()) return grid_input(options.grid);
  const bool of_grid = !options.grid.periodic.empty() || !options.grid.weights.empty() ||
                       options.grid.stencil != "faces";
  if (of_grid) {
    throw Error("--periodic, --weights and --stencil need --grid, such as --grid 4x4x2");
  }
  if (!options.graph.empty()) return graph_input(options.graph, options.grid.bytes);
  return run_input(options.run.empty() ? report::newest_run("plait-runs").string() : options.run);
}

/// The nodes of the current Slurm job. Empty if the run was on these nodes, or has more
/// ranks than the job.
std::optional<MapNodes> nodes_of_job(const MapInput& input) {
  const auto allocation = launcher::slurm_allocation();
  if (!allocation) return std::nullopt;
  MapNodes nodes = nodes_of_allocation(*allocation);
  if (input.nodes && (launcher::holds_nodes(*allocation, input.nodes->slots.nodes) ||
                      nodes.slots.size() < input.graph.size())) {
    return std::nullopt;
  }
  announce_job(*allocation);
  return nodes;
}

/// Names as many nodes as the current Slurm job has.
void name_by_job(MapNodes& nodes) {
  const auto allocation = launcher::slurm_allocation();
  const int last = nodes.slots.of.empty() ? -1 : nodes.slots.of.back()[0];
  if (!allocation || static_cast<int>(allocation->nodes.size()) != last + 1) return;
  nodes.slots.nodes = launcher::node_names(*allocation);
  announce_job(*allocation);
}

MapNodes nodes_of(const MappingOptions& options, MapInput& input) {
  const int given = static_cast<int>(!options.machines.empty()) +
                    static_cast<int>(!options.nodes.empty()) +
                    static_cast<int>(options.hosts.find(':') != std::string::npos);
  if (given > 1) {
    throw Error(
        "--nodes, --machine and --hosts with slots cannot be used together; give one of them, and "
        "name its nodes with --hosts a,b");
  }
  if (options.cores_per_rank > 1 && options.machines.empty()) {
    throw Error("--cores-per-rank needs --machine, such as --machine 4xtownsend");
  }
  if (options.ranks_per_slot > 1 && options.machines.empty()) {
    throw Error("--ranks-per-slot needs --machine, such as --machine 4xtownsend");
  }
  MapNodes nodes;
  if (!options.machines.empty()) {
    nodes = nodes_of_machines(options.machines, options.cores_per_rank, options.ranks_per_slot);
  } else if (!options.nodes.empty()) {
    nodes = nodes_by_capacity(options.nodes);
  } else if (options.hosts.find(':') != std::string::npos) {
    return nodes_by_host(options.hosts);
  } else if (auto job = nodes_of_job(input)) {
    nodes = std::move(*job);
  } else if (input.nodes) {
    return *input.nodes;
  } else {
    throw Error("no nodes to map to; give --nodes 4x8, --machine 4xFILE or --hosts n1:8,n2:8");
  }
  if (!options.hosts.empty()) name_nodes(nodes, options.hosts);
  if (nodes.slots.nodes.empty()) name_by_job(nodes);
  return nodes;
}

/// Where the processes are before the mapping.
std::vector<int> places_now(const MappingOptions& options, const MapNodes& nodes, int processes) {
  if (processes > nodes.slots.size()) {
    throw Error(
        fmt::format("{} processes do not fit into {} slots; give more nodes, or fewer "
                    "processes",
                    processes, nodes.slots.size()));
  }
  if (options.now == "cyclic") return dealt_in_turn(nodes.slots, processes);
  std::vector<int> now(static_cast<std::size_t>(processes));
  std::iota(now.begin(), now.end(), 0);
  return now;
}

/// The network's costs that were given, or those that the nodes have.
mapping::CostsRange costs_by_hand(const MappingOptions& options, mapping::CostsRange costs) {
  if (options.latency.empty() && options.bandwidth.empty()) return costs;
  if (options.latency.empty() || options.bandwidth.empty()) {
    throw Error(
        "--latency needs --bandwidth and vice versa, for example --latency 50us --bandwidth "
        "1Gbit/s");
  }
  const double latency_s = parse_seconds(options.latency);
  const double per_byte_s = 1 / parse_bytes_per_second(options.bandwidth);
  // A message's fixed time in the card is a part of its latency, as it is by default.
  const mapping::Costs ordinary = mapping::default_costs();
  const double gap_s = latency_s * ordinary.card.seconds / ordinary.path[mapping::kLevels].seconds;
  for (mapping::Costs* one : {&costs.middle, &costs.low, &costs.high}) {
    one->path[mapping::kLevels] = {latency_s, per_byte_s};
    one->card = {gap_s, per_byte_s};
  }
  costs.from = "given";
  costs.notes.clear();
  costs.measured = false;
  return costs;
}

/// Ranks that differ in threads keep to slots of their kind. Slots that the user describes are
/// alike, so there each of them must be large enough.
mapping::MappingResult search(const MapInput& input, const MapNodes& nodes,
                              report::MappingReport& report) {
  const Progress progress("looking for a better mapping");
  if (input.class_of.empty()) return mapping::map_processes(report.request);
  if (nodes.of_run) {
    report.notes.emplace_back(
        "the ranks differ in threads or cores, so each of them only gets the place of a rank of "
        "its kind");
    return mapping::map_within_classes(report.request, input.class_of);
  }
  const auto most =
      std::max_element(input.profile->ranks.begin(), input.profile->ranks.end(),
                       [](const auto& a, const auto& b) { return a.threads < b.threads; });
  report.notes.push_back(
      fmt::format("the ranks differ in threads; the mapping assumes that each slot has room for {}",
                  counted(most->threads, "thread")));
  return mapping::map_processes(report.request);
}

mapping::Goal goal_of(const std::string& name) {
  if (name == "cut") return mapping::Goal::cut;
  return name == "distance" ? mapping::Goal::distance : mapping::Goal::exchange_time;
}

}  // namespace

report::MappingReport map_to_nodes(const MappingOptions& options) {
  MapInput input = input_of(options);
  const MapNodes nodes = nodes_of(options, input);
  report::MappingReport report;
  report.costs = costs_by_hand(options, nodes.costs);
  report.request.now = places_now(options, nodes, input.graph.size());
  report.request.graph = std::move(input.graph);
  report.request.grid = std::move(input.grid);
  report.request.slots = nodes.slots;
  report.request.costs = report.costs.middle;
  report.request.goal = goal_of(options.distances.empty() ? options.goal : "distance");
  if (report.request.goal == mapping::Goal::distance) {
    if (options.distances.empty()) {
      throw Error("--goal distance needs --distance, such as --distance 1:10:100");
    }
    report.request.distance = parse_distances(options.distances, nodes.slots);
  }
  report.notes = input.notes;
  report.result = search(input, nodes, report);
  report.gain =
      mapping::gain_of(report.request, report.request.now, report.result.slot_of, report.costs);
  report.input = input.text;
  report.nodes = nodes.text;
  report.unit_bytes = input.unit_bytes;
  report.part_of = input.part_of;
  const std::vector<std::string>& doubts = report.costs.notes;
  report.notes.insert(report.notes.end(), doubts.begin(), doubts.end());
  if (!options.emit.empty()) {
    emit(options.emit, options.folder, plan_of(report, nodes), options.program,
         input.profile ? &*input.profile : nullptr, report);
  }
  return report;
}

}  // namespace plait::advise
