// SPDX-License-Identifier: BSD-3-Clause
// plait map: maps processes to nodes so that an exchange takes the least time.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "advise/map_figure.hpp"
#include "advise/mapping.hpp"
#include "advise/mapping_plan.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cluster/rights.hpp"
#include "mapping/subgrid.hpp"
#include "plait/error.hpp"
#include "report/map_figure.hpp"
#include "report/subgrid_report.hpp"
#include "run/run_directory.hpp"

namespace plait::cli {
namespace {

struct MapOptions {
  advise::MappingOptions mapping;
  std::string figure;
  advise::MapFigureRequest solver;
  std::vector<int> cores{1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256};
  JsonOutput json;
};

void print_lines(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print("{}\n", line);
}

void print_solver_figure(const MapOptions& options) {
  if (options.solver.cluster.empty()) {
    throw Error("--figure solver", "needs the nodes of an emulated cluster",
                "add --cluster NAME (plait cluster up)");
  }
  cluster::become_caller(false);
  advise::MapFigureRequest request = options.solver;
  request.folder = std::filesystem::absolute("plait-figures/" + run::iso_now());
  const report::MapFigure figure = advise::measure_map_figure(request);
  if (write_json(options.json, report::map_figure_to_json(figure))) return;
  print_lines(report::map_figure_lines(figure));
}

void print_figure(const MapOptions& options) {
  if (options.figure == "solver") return print_solver_figure(options);
  std::vector<mapping::SubgridSurface> surfaces;
  for (const int cores : options.cores) surfaces.push_back(mapping::subgrid_surface(cores));
  if (write_json(options.json, report::subgrid_to_json(surfaces))) return;
  print_lines(report::subgrid_lines(surfaces, report::terminal_options(stdout)));
}

void print_mapping(const MapOptions& options) {
  report::MappingReport report = advise::map_to_nodes(options.mapping);
  if (write_json(options.json, report::mapping_to_json(report))) return;
  if (!options.json.file.empty()) report.written.push_back(options.json.file);
  if (options.mapping.emit.empty() && !report.result.nothing_to_gain) {
    report.next = "add --emit openmpi5, mpich, intel or slurm to write the files for that launcher";
  }
  print_lines(report::mapping_lines(report, report::terminal_options(stdout)));
}

bool is_folder(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_directory(path, none);
}

void add_input(Command& command, advise::MappingOptions& options) {
  command
      .argument("RUN", options.run, "Run directory with the processes, messages and nodes to map")
      .defaults_to("the newest under plait-runs")
      .only_if(is_folder)
      .completes(Complete::folder);
  command.heading("What to map");
  command.option("--grid", "GRID", options.grid.dims, "A Cartesian grid of processes: 4x4x2");
  command.option("--periodic", "AXES", options.grid.periodic,
                 "Periodic axes of the grid: xz, 02 or all");
  command.option("--weights", "WEIGHTS", options.grid.weights,
                 "Weight of the messages across each axis: 8,1,1; with --stencil full the weights "
                 "of a face, an edge and a corner");
  command
      .option("--stencil", "STENCIL", options.grid.stencil,
              "Neighbours in the grid: faces, or full with edges and corners")
      .choices({"faces", "full"})
      .defaults_to("faces");
  options.grid.stencil = "faces";
  command.option("--bytes", "SIZE", options.grid.bytes, "Bytes of a weight of 1")
      .defaults_to("64KiB; 1B for files with weights");
  command
      .option("--graph", "FILE", options.graph,
              "A graph: .graph (METIS), .mtx (Matrix Market) or .csv (matrix)")
      .completes(Complete::file);
}

void add_nodes(Command& command, advise::MappingOptions& options) {
  command.heading("Nodes");
  command
      .option("--nodes", "NODES", options.nodes,
              "Nodes and slots: 4x8, or the slots of each node: 12,8,8,4")
      .defaults_to("those of the Slurm job or of the run");
  command.option("--hosts", "NAMES", options.hosts, "Names of the nodes: a,b; with slots: a:8,b:8");
  command
      .list("-m,--machine", "MACHINE", options.machines, "",
            "Machine file or name of each node; 4xFILE for four equal nodes; may be repeated")
      .completes(Complete::file);
  command.option("--cores-per-rank", "N", options.cores_per_rank, {1, 100000}, "Cores per slot")
      .defaults_to("1");
  command
      .option("--ranks-per-slot", "N", options.ranks_per_slot, {1, 100000},
              "Ranks that share a slot: each may use all its cores")
      .defaults_to("1");
  command.option("--now", "ORDER", options.now, "Current mapping to compare with: block or cyclic")
      .choices({"block", "cyclic"})
      .defaults_to("block");
}

void add_costs(Command& command, advise::MappingOptions& options) {
  command.heading("Goal and costs");
  command
      .option("--goal", "GOAL", options.goal,
              "What to minimize: time, cut (bytes between nodes) or distance")
      .choices({"time", "cut", "distance"})
      .defaults_to("time");
  command.option("--distance", "NUMBERS", options.distances,
                 "Distances, innermost first, the last between nodes: 1:10:100");
  command.option("--latency", "TIME", options.latency, "Latency of the network: 50us");
  command.option("--bandwidth", "RATE", options.bandwidth,
                 "Bandwidth of a node's network card in each direction: 1Gbit/s");
}

}  // namespace

void add_map(Command& plait) {
  const auto options = std::make_shared<MapOptions>();
  advise::MappingOptions& mapping = options->mapping;
  Command& command =
      plait.add_command("map", "Map processes to nodes, and predict the gain", group::decide);
  add_input(command, mapping);
  add_nodes(command, mapping);
  add_costs(command, mapping);
  command.heading("Output");
  command
      .option("--emit", "LAUNCHER", mapping.emit,
              "Write the plan and the files of this launcher, and print its command: openmpi4, "
              "openmpi5, mpich, intel or slurm; plan: write the plan only")
      .choices(advise::emit_targets());
  command.option("--folder", "FOLDER", mapping.folder, "Folder for the files of --emit")
      .defaults_to("plait-map")
      .completes(Complete::folder);
  add_json_output(command, options->json, "the result");
  command
      .option("--figure", "FIGURE", options->figure,
              "Print a figure instead of a mapping; blocks: the messages that blocks of subdomains "
              "save over sticks (Stengel 2010, figure 3.3); solver: the Jacobi solver with both, "
              "measured on --cluster (figure 3.4)")
      .choices({"blocks", "solver"});
  command
      .list("--cores", "NUMBERS", options->cores, {1, 1e7}, "Cores per node for --figure: 1,8,64")
      .defaults_to("1 to 256");
  command.option("--cluster", "NAME", options->solver.cluster,
                 "Emulated cluster for --figure solver, with one rank on each core");
  command
      .list("--sizes", "NUMBERS", options->solver.edges, {8, 10000},
            "Cells along each axis for --figure solver: 50,100")
      .defaults_to("50,100,150,200,300");
  command.option("--repeat", "N", options->solver.repeat, {1, 1000}, "Runs of each size")
      .defaults_to("3");
  command
      .option("--launcher", "PROGRAM", options->solver.launcher,
              "The mpiexec of the MPI that plait-jacobi was built with")
      .defaults_to("mpiexec");
  command.takes_program(mapping.program, false);
  command.example("plait map plait-runs/app-20261123-101500");
  command.example("plait map --grid 4x4x2 --nodes 4x8");
  command.example("plait map --grid 8x8 --hosts a:32,b:32 --emit openmpi5 -- ./app");
  command.action([options] {
    const advise::MappingOptions& asked = options->mapping;
    if (!asked.program.empty() && asked.emit.empty()) {
      throw Error(asked.program.front(), "not a run directory",
                  "give a run directory, --grid 4x4x2 or --graph FILE");
    }
    options->figure.empty() ? print_mapping(*options) : print_figure(*options);
    return 0;
  });
}

}  // namespace plait::cli
