// SPDX-License-Identifier: BSD-3-Clause
// plait measure: measures this node, or several, and writes the machine file.
#include "measure/measure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "advise/slurm_job.hpp"
#include "base/user_data.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cluster/cluster.hpp"
#include "cluster/launcher_command.hpp"
#include "launcher/inside_launcher.hpp"
#include "machine/discover.hpp"
#include "machine/machine_file.hpp"
#include "measure/node_measure.hpp"
#include "measure/nodes.hpp"
#include "measure/summary.hpp"
#include "model/loggp.hpp"
#include "plait/error.hpp"
#include "text/terminal.hpp"

namespace plait::cli {
namespace {

namespace fs = std::filesystem;

struct MeasureOptions {
  measure::MeasureRequest request;
  std::string cores;
  std::string output;
  std::string nodes;
  std::string cluster;
  int per_node = 0;
  std::string launcher_options;
  bool only_nodes = false;
  bool no_mpi = false;
  bool json = false;
};

/// Checked first, so that minutes of measuring are not lost.
fs::path writable_output(const MeasureOptions& options) {
  char host[256] = "localhost";
  ::gethostname(host, sizeof(host) - 1);
  const bool is_default = options.output.empty() || options.output == "-";
  const fs::path path = is_default ? machine_file_of_host(host) : fs::path(options.output);
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (is_default) fs::create_directories(folder, error);
  if (fs::is_directory(path, error)) {
    throw Error(path.string(), "a folder, not a file", "give a file with --output");
  }
  if (!fs::is_directory(folder, error) || ::access(folder.c_str(), W_OK) != 0) {
    throw Error(path.string(), "the folder does not exist or is not writable",
                "give another file with --output");
  }
  return path;
}

/// The options of --launcher-options, which blanks separate.
std::vector<std::string> launcher_options_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

bool on_nodes(const MeasureOptions& options) {
  return !options.nodes.empty() || !options.cluster.empty();
}

/// Takes the nodes of the current Slurm job if there are several. Within a job step, plait is one
/// of its ranks and measures its own node.
void take_job(MeasureOptions& options) {
  if (on_nodes(options) || options.no_mpi || launcher::inside_launcher()) return;
  const auto allocation = launcher::slurm_allocation();
  if (!allocation || allocation->nodes.size() < 2) return;
  options.nodes = "slurm";
  advise::announce_job(*allocation);
}

/// Refuses options that would have no effect.
void check_together(const MeasureOptions& options) {
  if (on_nodes(options)) {
    if (options.no_mpi) {
      throw Error("--no-mpi", "measuring several nodes needs MPI", "leave one of them out");
    }
    return;
  }
  const auto refuse = [](const char* option) {
    throw Error(option, "needs --nodes or --cluster", "add one of them, or leave it out");
  };
  if (options.only_nodes) refuse("--only-nodes");
  if (options.per_node > 0) refuse("--ranks-per-node");
  if (!options.launcher_options.empty()) refuse("--launcher-options");
}

/// This node without measurements between nodes, for --only-nodes: its machine file, otherwise its
/// topology.
measure::MeasureOutcome known_so_far(const fs::path& path) {
  measure::MeasureOutcome known;
  if (fs::exists(path)) {
    known.file = machine::load(path);
    if (known.file.measured) known.file.measured->duration_s = 0;
    return known;
  }
  known.file = machine::discover_local();
  known.file.origin = "measured";
  known.file.notes.emplace_back("memory and cores were not measured (--only-nodes)");
  return known;
}

/// Marks a network that is not this machine's.
constexpr const char* kEmulated = "between nodes: emulated, ";

void note_emulation(const std::string& name, machine::MachineFile& file) {
  std::erase_if(file.notes, [](const std::string& note) { return note.starts_with(kEmulated); });
  const std::optional<cluster::Cluster> found = name.empty() ? std::nullopt : cluster::find(name);
  if (!found) return;
  const cluster::ClusterRequest& of = found->request;
  std::string note = fmt::format("{}cluster {} of {} nodes, links of {:.3g} Mbit/s", kEmulated,
                                 name, found->nodes.size(), 8e-6 * of.bytes_per_second);
  if (of.latency_s > 0) note += fmt::format(", {:.3g} us added", 1e6 * of.latency_s);
  file.notes.push_back(note);
}

/// An emulated cluster's nodes, and how launchers reach them.
void use_cluster(const std::string& name, measure::NodesRequest& nodes) {
  const std::optional<cluster::Cluster> found = cluster::find(name);
  if (!found) {
    throw Error("--cluster " + name, "no such cluster is up", "start it: plait cluster up");
  }
  if (nodes.nodes.empty()) {
    for (const cluster::Node& node : found->nodes) nodes.nodes.push_back(node.name);
  }
  nodes.adapt = [cluster = *found](const measure::ProbeStart& start) {
    const cluster::ClusterCommand command = cluster::on_cluster(cluster, start.command);
    measure::ProbeStart adapted = start;
    adapted.command = cluster::on_node(cluster, cluster::kHead, command.argv);
    for (const auto& variable : command.variables()) adapted.environment.push_back(variable);
    return adapted;
  };
}

measure::MeasureOutcome measure_all(const MeasureOptions& options, const fs::path& path) {
  constexpr double kQuickNodes = 60;
  constexpr double kFullNodes = 150;
  measure::MeasureRequest request = options.request;
  request.use_mpi = !options.no_mpi;
  if (!options.cores.empty()) request.cores = machine::CpuSet::parse(options.cores);
  if (!on_nodes(options)) return measure::measure_machine(request);

  measure::NodesRequest nodes;
  if (!options.nodes.empty()) nodes.nodes = measure::parse_nodes(options.nodes);
  if (!options.cluster.empty()) use_cluster(options.cluster, nodes);
  nodes.quick = request.quick;
  nodes.seconds = request.quick ? kQuickNodes : kFullNodes;
  if (request.budget_s > 0) {
    // One half for this node, the other for the paths between nodes.
    nodes.seconds = options.only_nodes ? request.budget_s : request.budget_s / 2;
    request.budget_s = request.budget_s / 2;
  }
  nodes.per_node = options.per_node;
  nodes.launcher_options = launcher_options_of(options.launcher_options);
  nodes.mpi = request.mpi;
  nodes.folder = fs::absolute(path).parent_path();
  measure::MeasureOutcome outcome =
      options.only_nodes ? known_so_far(path) : measure::measure_machine(request);
  measure::measure_nodes(nodes, outcome);
  note_emulation(options.cluster, outcome.file);
  outcome.file.created = machine::utc_now();
  return outcome;
}

/// A text of one or several lines, none wider than a terminal.
void print_wrapped(std::FILE* to, const std::string& text) {
  constexpr std::size_t kWidth = 80, kLines = 40;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    for (const std::string& part : wrap(line, kWidth, kLines)) fmt::print(to, "{}\n", part);
  }
}

void run_measure(MeasureOptions& options) {
  take_job(options);
  check_together(options);
  const fs::path path = writable_output(options);
  measure::MeasureOutcome outcome = measure_all(options, path);
  if (outcome.file.measured) model::add_fits(*outcome.file.measured);
  const bool to_stdout = options.json || options.output == "-";
  if (options.output != "-") machine::save(path, outcome.file);
  for (const std::string& warning : outcome.warnings) {
    print_wrapped(stderr, "plait: warning: " + warning);
  }
  if (to_stdout) {
    print_json(outcome.file);
    return;
  }
  print_wrapped(stdout, measure::verdict(outcome.file));
  for (const std::string& note : outcome.file.notes) {
    if (note.starts_with(kEmulated)) print_wrapped(stdout, note);
  }
  fmt::print("\n{}\n", measure::summary_table(outcome.file));
  if (outcome.file.measured) {
    fmt::print("Measured in {:.0f} s. ", outcome.file.measured->duration_s);
  }
  fmt::print("Machine file: {}\n", path.string());
  fmt::print("All results: plait machine show --machine {}\n", path.string());
  fmt::print("Next: plait run -- mpiexec -n {} ./app\n", outcome.file.topology.usable_cores());
}

/// The options of a measurement on several nodes.
void add_node_options(Command& command, MeasureOptions& options) {
  command.heading("Several nodes");
  command.option("--nodes", "NODES", options.nodes,
                 "Measure between nodes too: n0,n1,... as the launcher knows them, or slurm for "
                 "all nodes of the Slurm job (default in a Slurm job of several nodes: slurm)");
  command.option("--cluster", "NAME", options.cluster,
                 "Measure between the nodes of an emulated cluster (plait cluster up)");
  command.option("--ranks-per-node", "N", options.per_node, {1, 4096}, "Ranks on each node")
      .defaults_to("one per core");
  command.option("--launcher-options", "OPTIONS", options.launcher_options,
                 "Options for the launcher, such as the network interface to use");
  command.flag("--only-nodes", options.only_nodes,
               "Measure only between nodes; keep the other results in the file");
}

}  // namespace

void add_measure(Command& plait) {
  const auto options = std::make_shared<MeasureOptions>();
  Command& command = plait.add_command(
      "measure", "Measure this node, or several, and write the machine file", group::measure);
  command.flag("--quick", options->request.quick, "Take at most 30 s; intervals are wider");
  command
      .option("-o,--output", "FILE", options->output,
              "Machine file to write; - prints it (default: HOST.json in $XDG_DATA_HOME/plait or "
              "~/.local/share/plait)")
      .completes(Complete::file);
  command.flag("--json", options->json, "Print the machine file instead of the table");
  command
      .option("--mpi", "MPI", options->request.mpi,
              "MPI to measure: an mpiexec, or a folder with bin/mpiexec")
      .defaults_to("mpiexec in PATH")
      .completes(Complete::file);
  command.flag("--no-mpi", options->no_mpi, "Do not measure MPI");
  command.option(
      "--budget", "SECONDS", options->request.budget_s, {0.1, 86400},
      "Time budget for the whole measurement (default: 150 s, with --quick 22 s; with --nodes "
      "300 s and 82 s)");
  command
      .option("--cores", "CORES", options->cores,
              "Cores to measure, numbered as in plait machine show: 0-3,8")
      .defaults_to("all");
  command.flag("--off-cache", options->request.off_cache,
               "Also measure ping-pong with buffers that are not in the caches");
  add_node_options(command, *options);
  command.action([options] {
    run_measure(*options);
    return 0;
  });
}

}  // namespace plait::cli
