// SPDX-License-Identifier: BSD-3-Clause
// plait measure: measures this node, or several, and writes the machine file.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "advise/slurm_job.hpp"
#include "base/json.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cluster/rights.hpp"
#include "machine/cpuset.hpp"
#include "machine/machine_file.hpp"
#include "measure/figure_lines.hpp"
#include "measure/measure_all.hpp"
#include "measure/summary.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::cli {
namespace {

struct MeasureOptions {
  measure::AllRequest request;
  std::string figure;
  std::string cores;
  std::string output;
  bool no_mpi = false;
  bool json = false;
};

void print_wrapped(std::FILE* to, const std::string& text) {
  fmt::print(to, "{}", joined_lines(wrap(text)));
}

/// A figure of the thesis instead of the machine file.
void print_figure(const MeasureOptions& options) {
  const auto figure =
      options.figure == "overlap" ? measure::PlanFigure::overlap : measure::PlanFigure::mixed;
  const measure::MeasureOutcome outcome = measure::measure_figure(options.request, figure);
  if (!options.output.empty() && options.output != "-") {
    machine::save(options.output, outcome.file);
  }
  for (const std::string& warning : outcome.warnings) {
    print_wrapped(stderr, "plait: warning: " + warning);
  }
  if (options.json || options.output == "-") {
    print_json(outcome.file);
    return;
  }
  const machine::Measured measured = outcome.file.measured.value_or(machine::Measured{});
  for (const std::string& line : measure::figure_lines(measured, figure)) {
    fmt::print("{}\n", line);
  }
  for (const std::string& note : outcome.file.notes) print_wrapped(stdout, "note: " + note);
}

void run_measure(MeasureOptions& options) {
  measure::AllRequest& request = options.request;
  if (!request.cluster.empty()) cluster::become_caller(false);
  request.node.use_mpi = !options.no_mpi;
  if (!options.cores.empty()) request.node.cores = machine::CpuSet::parse(options.cores);
  if (const auto job = measure::take_nodes_of_job(request)) advise::announce_job(*job);
  if (!options.figure.empty()) {
    print_figure(options);
    return;
  }
  measure::check_together(request);
  const std::filesystem::path path = measure::writable_machine_file(options.output);
  const measure::MeasureOutcome outcome = measure::measure_all(request, path);
  if (options.output != "-") machine::save(path, outcome.file);
  for (const std::string& warning : outcome.warnings) {
    print_wrapped(stderr, "plait: warning: " + warning);
  }
  if (options.json || options.output == "-") {
    print_json(outcome.file);
    return;
  }
  print_wrapped(stdout, measure::verdict(outcome.file));
  print_wrapped(stdout, measure::emulation_note(outcome.file));
  fmt::print("\n{}\n", measure::summary_table(outcome.file));
  for (const std::string& sentence : measure::remarks(outcome.file)) {
    print_wrapped(stdout, sentence);
  }
  if (outcome.file.measured) {
    fmt::print("Measured in {}. ", format_seconds(outcome.file.measured->duration_s));
  }
  fmt::print("Machine file: {}\n", path.string());
  fmt::print("All results: plait machine show --machine {}\n", path.string());
  fmt::print("Next: plait run -- mpiexec -n {} ./app\n", outcome.file.topology.usable_cores());
}

/// The options of a measurement on several nodes.
void add_node_options(Command& command, measure::AllRequest& request) {
  command.heading("Several nodes");
  command.option("--nodes", "NODES", request.nodes,
                 "Measure between nodes too: n0,n1,... as the launcher knows them, or slurm for "
                 "all nodes of the Slurm job (default in a Slurm job of several nodes: slurm)");
  command.option("--cluster", "NAME", request.cluster,
                 "Measure between the nodes of an emulated cluster (plait cluster up)");
  command.option("--ranks-per-node", "N", request.per_node, {1, 4096}, "Ranks on each node")
      .defaults_to("one per core");
  command.option("--launcher-options", "OPTIONS", request.launcher_options,
                 "Options for the launcher, such as the network interface to use");
  command.flag("--only-nodes", request.only_nodes,
               "Measure only between nodes; keep the other results in the file");
}

}  // namespace

void add_measure(Command& plait) {
  const auto options = std::make_shared<MeasureOptions>();
  Command& command = plait.add_command(
      "measure", "Measure this node, or several, and write the machine file", group::measure);
  command.flag("--quick", options->request.node.quick, "Take at most 30 s; intervals are wider");
  command
      .option("-o,--output", "FILE", options->output,
              "Machine file to write; - prints it (default: HOST.json in $XDG_DATA_HOME/plait or "
              "~/.local/share/plait)")
      .completes(Complete::file);
  command.flag("--json", options->json, "Print the machine file instead of the table");
  command
      .option("--mpi", "MPI", options->request.node.mpi,
              "MPI to measure: an mpiexec, or a folder with bin/mpiexec")
      .defaults_to("mpiexec in PATH")
      .completes(Complete::file);
  command.flag("--no-mpi", options->no_mpi, "Do not measure MPI");
  command
      .option("--repeat", "N", options->request.repeat, {1, 100},
              "Measure N times; later measurements are merged with earlier ones")
      .defaults_to("1");
  command.flag("--fresh", options->request.fresh,
               "Replace the measurements in the machine file instead of merging with them");
  command.option("--budget", "SECONDS", options->request.node.budget_s, {0.1, 86400},
                 "Time budget for the whole measurement (default: 150 s, with --quick 22 s; with "
                 "--nodes 300 s and 82 s)");
  command
      .option("--cores", "CORES", options->cores,
              "Cores to measure, numbered as in plait machine show: 0-3,8")
      .defaults_to("all");
  command.flag("--off-cache", options->request.node.off_cache,
               "Also measure ping-pong with buffers that are not in the caches");
  add_node_options(command, options->request);
  command.heading("Figures");
  command
      .option("--figure", "FIGURE", options->figure,
              "Print a figure instead of writing a machine file; overlap: messages of up to 80 MB "
              "during work (Stengel 2010, figure 3.5), on this node or --nodes; mixed: 80 MB "
              "inside a node and messages between two nodes at the same time (figure 3.6)")
      .choices({"overlap", "mixed"});
  command.action([options] {
    run_measure(*options);
    return 0;
  });
}

}  // namespace plait::cli
