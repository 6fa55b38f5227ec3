// SPDX-License-Identifier: BSD-3-Clause
// plait map: which process goes to which node, so that an exchange takes the least time.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "base/json_file.hpp"
#include "base/long_work.hpp"
#include "base/quantity.hpp"
#include "cli/allocation.hpp"
#include "cli/commands.hpp"
#include "cli/map_emit.hpp"
#include "cli/map_input.hpp"
#include "cli/program_command.hpp"
#include "machine/open_machine.hpp"
#include "plait/error.hpp"
#include "report/finish.hpp"
#include "report/mapping.hpp"

namespace plait::cli {
namespace {

struct MapCommand {
  std::string run;
  GridWords grid;
  std::string graph;
  std::string figure;
  std::vector<int> cores{1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};
  std::string nodes;
  std::string hosts;
  std::vector<std::string> machines;
  int cores_per_rank = 1;
  std::string now = "block";
  std::string goal = "time";
  std::string distances;
  std::string latency;
  std::string bandwidth;
  std::string emit;
  std::string folder = "plait-map";
  std::string json;
  std::string unused;
  std::vector<std::string> program;
};

void print_json(const nlohmann::json& value) {
  fmt::print("{}\n", value.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_lines(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print("{}\n", line);
}

void print_figure(const MapCommand& command) {
  std::vector<map::SubgridSurface> surfaces;
  for (const int cores : command.cores) surfaces.push_back(map::subgrid_surface(cores));
  if (command.json == "-") return print_json(report::subgrid_to_json(surfaces));
  if (!command.json.empty()) write_json_file(command.json, report::subgrid_to_json(surfaces));
  print_lines(report::subgrid_lines(surfaces, report::terminal_options(stdout)));
}

MapInput input_of(const MapCommand& command) {
  const int inputs = static_cast<int>(!command.run.empty()) +
                     static_cast<int>(!command.graph.empty()) +
                     static_cast<int>(!command.grid.dims.empty());
  if (inputs > 1) {
    throw Error("plait map", "a run, --graph and --grid exclude each other", "give one of them");
  }
  if (!command.grid.dims.empty()) return grid_input(command.grid);
  const bool of_grid = !command.grid.periodic.empty() || !command.grid.weights.empty() ||
                       command.grid.stencil != "faces";
  if (of_grid) {
    throw Error("plait map", "--periodic, --weights and --stencil describe a grid",
                "give it by --grid 4x4x2");
  }
  if (!command.graph.empty()) return graph_input(command.graph, command.grid.bytes);
  return run_input(command.run.empty() ? report::newest_run("plait-runs").string() : command.run);
}

/// The Slurm job around this command, where its nodes are to be taken: not for a run that was on
/// these very nodes, nor for one that has more ranks than the job.
std::optional<MapNodes> nodes_of_job(const MapInput& input) {
  const auto allocation = launch::slurm_allocation();
  if (!allocation) return std::nullopt;
  MapNodes nodes = nodes_of_allocation(*allocation);
  if (input.nodes && (launch::holds_nodes(*allocation, input.nodes->slots.nodes) ||
                      nodes.slots.size() < input.graph.size())) {
    return std::nullopt;
  }
  tell_allocation(*allocation);
  return nodes;
}

/// Names as many nodes as the Slurm job around this command has.
void name_by_job(MapNodes& nodes) {
  const auto allocation = launch::slurm_allocation();
  const int last = nodes.slots.of.empty() ? -1 : nodes.slots.of.back()[0];
  if (!allocation || static_cast<int>(allocation->nodes.size()) != last + 1) return;
  nodes.slots.nodes = launch::node_names(*allocation);
  tell_allocation(*allocation);
}

MapNodes nodes_of(const MapCommand& command, MapInput& input) {
  const int given = static_cast<int>(!command.machines.empty()) +
                    static_cast<int>(!command.nodes.empty()) +
                    static_cast<int>(command.hosts.find(':') != std::string::npos);
  if (given > 1) {
    throw Error("plait map", "--nodes, --machine and --hosts with slots exclude each other",
                "give one of them; --hosts a,b names the nodes of the others");
  }
  if (command.cores_per_rank > 1 && command.machines.empty()) {
    throw Error("--cores-per-rank", "the cores of the nodes are not known",
                "give nodes by --machine, as 4xtownsend");
  }
  MapNodes nodes;
  if (!command.machines.empty()) {
    nodes = nodes_of_machines(command.machines, command.cores_per_rank);
  } else if (!command.nodes.empty()) {
    nodes = nodes_by_capacity(command.nodes);
  } else if (command.hosts.find(':') != std::string::npos) {
    return nodes_by_host(command.hosts);
  } else if (auto job = nodes_of_job(input)) {
    nodes = std::move(*job);
  } else if (input.nodes) {
    return *input.nodes;
  } else {
    throw Error("plait map", "there are no nodes to map to",
                "give --nodes 4x8, --machine 4xFILE or --hosts n1:8,n2:8");
  }
  if (!command.hosts.empty()) name_nodes(nodes, command.hosts);
  if (nodes.slots.nodes.empty()) name_by_job(nodes);
  return nodes;
}

/// Where the processes are before the mapping.
std::vector<int> places_now(const MapCommand& command, const MapNodes& nodes, int processes) {
  if (processes > nodes.slots.size()) {
    throw Error("plait map",
                fmt::format("{} processes, but {} slots", processes, nodes.slots.size()),
                "give more nodes, or fewer processes");
  }
  if (command.now == "cyclic") return dealt_in_turn(nodes.slots, processes);
  std::vector<int> now(static_cast<std::size_t>(processes));
  std::iota(now.begin(), now.end(), 0);
  return now;
}

/// The network's costs by hand, or those of an ordinary cluster.
map::CostsRange costs_by_hand(const MapCommand& command, map::CostsRange costs) {
  if (command.latency.empty() && command.bandwidth.empty()) return costs;
  if (command.latency.empty() || command.bandwidth.empty()) {
    throw Error("plait map", "--latency and --bandwidth belong together",
                "give both of the network, as --latency 50us --bandwidth 1Gbit/s");
  }
  const double latency_s = parse_seconds(command.latency);
  const double per_byte_s = 1 / parse_bytes_per_second(command.bandwidth);
  // What a message takes of the card besides its bytes is a part of its latency, as by default.
  const map::Costs ordinary = map::default_costs();
  const double gap_s = latency_s * ordinary.card.seconds / ordinary.path[map::kLevels].seconds;
  for (map::Costs* one : {&costs.middle, &costs.low, &costs.high}) {
    one->path[map::kLevels] = {latency_s, per_byte_s};
    one->card = {gap_s, per_byte_s};
  }
  costs.from = "given";
  costs.measured = false;
  return costs;
}

map::Goal goal_of(const std::string& word) {
  if (word == "cut") return map::Goal::cut;
  return word == "distance" ? map::Goal::distance : map::Goal::exchange_time;
}

map::MappingResult mapped(const map::MappingRequest& request) {
  const LongWork work("looking for a better mapping");
  return map::map_processes(request);
}

void map_processes(const MapCommand& command) {
  MapInput input = input_of(command);
  const MapNodes nodes = nodes_of(command, input);
  report::MappingReport report;
  report.costs = costs_by_hand(command, nodes.costs);
  report.request.now = places_now(command, nodes, input.graph.size());
  report.request.graph = std::move(input.graph);
  report.request.grid = std::move(input.grid);
  report.request.slots = nodes.slots;
  report.request.costs = report.costs.middle;
  report.request.goal = goal_of(command.distances.empty() ? command.goal : "distance");
  if (report.request.goal == map::Goal::distance) {
    if (command.distances.empty()) {
      throw Error("--goal distance", "the distances are missing", "give --distance 1:10:100");
    }
    report.request.distance = parse_distances(command.distances, nodes.slots);
  }
  report.result = mapped(report.request);
  report.gain =
      map::gain_of(report.request, report.request.now, report.result.slot_of, report.costs);
  report.input = input.text;
  report.nodes = nodes.text;
  report.unit_bytes = input.unit_bytes;
  report.notes = input.notes;
  if (!command.emit.empty()) {
    emit(command.emit, command.folder, plan_of(report, nodes), command.program,
         input.profile ? &*input.profile : nullptr, report);
  }
  if (command.json == "-") return print_json(report::mapping_to_json(report));
  if (!command.json.empty()) {
    write_json_file(command.json, report::mapping_to_json(report));
    report.written.push_back(command.json);
  }
  if (command.emit.empty() && !report.result.nothing_to_gain) {
    report.next = "--emit openmpi5, mpich, intel or slurm writes what its launcher needs";
  }
  print_lines(report::mapping_lines(report, report::terminal_options(stdout)));
}

void add_input(CLI::App* app, MapCommand& command) {
  app->add_option("run", command.run, "Run directory: its messages and nodes (the newest)")
      ->check(CLI::ExistingDirectory)
      ->option_text("DIR");
  app->add_option("--grid", command.grid.dims, "A Cartesian grid of processes: 4x4x2");
  app->add_option("--periodic", command.grid.periodic, "Its periodic axes: xz, 02, all");
  app->add_option("--weights", command.grid.weights,
                  "Bytes across each axis, in units of --bytes: 8,1,1; with a full "
                  "stencil of a face, an edge, a corner");
  app->add_option("--stencil", command.grid.stencil, "faces (default) or full: corners, too")
      ->check(CLI::IsMember({"faces", "full"}));
  command.grid.stencil = "faces";
  app->add_option("--bytes", command.grid.bytes,
                  "Of a weight of 1 (64KiB; 1B for files with weights)");
  app->add_option("--graph", command.graph,
                  "A graph: .graph (METIS), .mtx (Matrix Market), .csv (matrix)");
}

void add_nodes(CLI::App* app, MapCommand& command) {
  app->add_option(
      "--nodes", command.nodes,
      "Nodes x slots: 4x8, or slots of each: 12,8,8,4 [those of the run; of the Slurm job]");
  app->add_option("--hosts", command.hosts, "Their names: a,b,c,d; with slots: a:8,b:8");
  app->add_option("-m,--machine", command.machines,
                  "Nodes with their caches and domains: a machine file or name, or "
                  "several of one kind as 4xFILE; may be given several times")
      ->take_all();
  app->add_option("--cores-per-rank", command.cores_per_rank, "Cores of a slot (1)")
      ->check(CLI::Range(1, 100000));
  app->add_option("--now", command.now, "Where processes are now: block (default), cyclic")
      ->check(CLI::IsMember({"block", "cyclic"}));
}

void add_output(CLI::App* app, MapCommand& command) {
  app->add_option("--goal", command.goal, "time (default), cut, or distance")
      ->check(CLI::IsMember({"time", "cut", "distance"}));
  app->add_option("--distance", command.distances,
                  "Distances, innermost first, the last between nodes: 1:10:100");
  app->add_option("--latency", command.latency, "Of the network, by hand: 50us");
  app->add_option("--bandwidth", command.bandwidth, "Of a node's card, a direction: 1Gbit/s");
  app->add_option("--emit", command.emit,
                  "plan, openmpi4, openmpi5, mpich, intel or slurm: write a plan and what "
                  "the launcher needs, and print its command")
      ->check(CLI::IsMember(emit_words()));
  app->add_option("-o,--output", command.folder, "Folder for --emit (plait-map)");
  app->add_option("--json", command.json, "Write the result here; - prints it instead");
  app->add_option("--figure", command.figure,
                  "blocks: what blocks of subdomains spare over sticks (figure 3.3)")
      ->check(CLI::IsMember({"blocks"}));
  app->add_option("--cores", command.cores, "Cores a node for --figure: 1,8,64")
      ->delimiter(',')
      ->check(CLI::Range(1, 10000000));
}

}  // namespace

void add_map(CLI::App& app, int& exit_code) {
  CLI::App* const subcommand =
      app.add_subcommand("map", "Choose which process goes to which node, and say what it gains");
  const auto command = std::make_shared<MapCommand>();
  add_input(subcommand, *command);
  add_nodes(subcommand, *command);
  add_output(subcommand, *command);
  subcommand->footer(
      "plait map plait-runs/app-...\n"
      "plait map --grid 4x4x2 --nodes 4x8\n"
      "plait map --grid 8x8 --hosts a:32,b:32 --emit openmpi5 -- ./app");
  takes_program_command(subcommand, command->unused);
  subcommand->callback([subcommand, command, &exit_code] {
    command->program = program_command(subcommand);
    if (!command->program.empty() && command->emit.empty()) {
      throw Error(command->program.front(), "is no run directory",
                  "give one, or --grid 4x4x2, or --graph FILE");
    }
    if (!command->figure.empty()) {
      print_figure(*command);
    } else {
      map_processes(*command);
    }
    exit_code = 0;
  });
}

}  // namespace plait::cli
