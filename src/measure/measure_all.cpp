// SPDX-License-Identifier: BSD-3-Clause
// Measures this node, and messages between several nodes, as plait measure is asked to.
#include "measure/measure_all.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "base/environment.hpp"
#include "base/user_data.hpp"
#include "cluster/cluster.hpp"
#include "cluster/launcher_command.hpp"
#include "launcher/inside_launcher.hpp"
#include "machine/discover.hpp"
#include "machine/figure_checks.hpp"
#include "machine/merge_measured.hpp"
#include "measure/nodes.hpp"
#include "model/loggp.hpp"
#include "plait/error.hpp"
#include "text/units.hpp"

namespace plait::measure {
namespace {

namespace fs = std::filesystem;

/// Seconds for the paths between nodes.
constexpr double kQuickNodes = 60;
constexpr double kFullNodes = 150;
/// Seconds for a figure of the thesis.
constexpr double kQuickFigure = 30;
constexpr double kFullFigure = 120;

/// Marks a network that is not this machine's.
constexpr const char* kEmulated = "between nodes: emulated, ";

bool is_emulation_note(const std::string& note) {
  return note.starts_with(kEmulated);
}

bool on_nodes(const AllRequest& request) {
  return !request.nodes.empty() || !request.cluster.empty();
}

/// This node as known so far: the machine file, otherwise its topology.
MeasureOutcome known_so_far(const fs::path& path) {
  MeasureOutcome known;
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

void note_emulation(const std::string& name, machine::MachineFile& file) {
  std::erase_if(file.notes, is_emulation_note);
  const std::optional<cluster::Cluster> found = name.empty() ? std::nullopt : cluster::find(name);
  if (!found) return;
  const cluster::ClusterRequest& of = found->request;
  std::string note = fmt::format("{}cluster {} of {} nodes, links of {}", kEmulated, name,
                                 found->nodes.size(), format_bits_per_second(of.bytes_per_second));
  if (of.latency_s > 0) note += ", " + format_seconds(of.latency_s, Zeros::dropped) + " added";
  file.notes.push_back(note);
}

/// An emulated cluster's nodes, and how launchers reach them.
void use_cluster(const std::string& name, NodesRequest& nodes) {
  const std::optional<cluster::Cluster> found = cluster::find(name);
  if (!found) {
    throw Error("--cluster " + name, "no such cluster is up", "start it: plait cluster up");
  }
  if (nodes.nodes.empty()) {
    for (const cluster::Node& node : found->nodes) nodes.nodes.push_back(node.name);
  }
  nodes.adapt = [cluster = *found](const ProbeStart& start) {
    const cluster::ClusterCommand command = cluster::on_cluster(cluster, start.command);
    ProbeStart adapted = start;
    adapted.command = cluster::on_node(cluster, cluster::kHead, command.argv);
    for (const auto& variable : command.variables()) adapted.environment.push_back(variable);
    return adapted;
  };
}

/// This node's part: one half of a time that was given, if other nodes follow.
MeasureRequest node_request(const AllRequest& request) {
  MeasureRequest node = request.node;
  if (on_nodes(request)) node.budget_s /= 2;
  return node;
}

}  // namespace

std::optional<launcher::SlurmAllocation> take_nodes_of_job(AllRequest& request) {
  if (on_nodes(request) || !request.node.use_mpi || launcher::inside_launcher()) return {};
  auto allocation = launcher::slurm_allocation();
  if (!allocation || allocation->nodes.size() < 2) return {};
  request.nodes = "slurm";
  return allocation;
}

void check_together(const AllRequest& request) {
  if (on_nodes(request)) {
    if (!request.node.use_mpi) {
      throw Error("--no-mpi", "measuring several nodes needs MPI", "leave one of them out");
    }
    return;
  }
  const auto refuse = [](const char* option) {
    throw Error(option, "needs --nodes or --cluster", "add one of them, or leave it out");
  };
  if (request.only_nodes) refuse("--only-nodes");
  if (request.per_node > 0) refuse("--ranks-per-node");
  if (!request.launcher_options.empty()) refuse("--launcher-options");
}

fs::path writable_machine_file(const std::string& output) {
  const bool is_default = output.empty() || output == "-";
  const fs::path path = is_default ? machine_file_of_host(host_name()) : fs::path(output);
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

NodesRequest nodes_request(const AllRequest& request, const fs::path& path) {
  NodesRequest nodes;
  if (!request.nodes.empty()) nodes.nodes = parse_nodes(request.nodes);
  if (!request.cluster.empty()) use_cluster(request.cluster, nodes);
  nodes.quick = request.node.quick;
  nodes.seconds = request.node.quick ? kQuickNodes : kFullNodes;
  const double budget_s = request.node.budget_s;
  if (budget_s > 0) nodes.seconds = request.only_nodes ? budget_s : budget_s / 2;
  nodes.per_node = request.per_node;
  std::istringstream options(request.launcher_options);
  nodes.launcher_options.assign(std::istream_iterator<std::string>(options), {});
  nodes.mpi = request.node.mpi;
  nodes.folder = fs::absolute(path).parent_path();
  return nodes;
}

namespace {

MeasureOutcome measure_once(const AllRequest& request, const fs::path& path) {
  MeasureOutcome outcome;
  if (!on_nodes(request)) {
    outcome = measure_machine(node_request(request));
  } else {
    const NodesRequest nodes = nodes_request(request, path);
    outcome = request.only_nodes ? known_so_far(path) : measure_machine(node_request(request));
    measure_nodes(nodes, outcome);
    note_emulation(request.cluster, outcome.file);
    outcome.file.created = machine::utc_now();
  }
  return outcome;
}

/// The figures that the machine file has; empty if there are none or it cannot be read, and then it
/// is replaced.
std::optional<machine::MachineFile> earlier_figures(const fs::path& path) {
  std::error_code none;
  if (!fs::exists(path, none)) return std::nullopt;
  try {
    return machine::load(path);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void merge(const std::optional<machine::MachineFile>& earlier, machine::Part part,
           MeasureOutcome& outcome) {
  if (!earlier || !earlier->measured || !outcome.file.measured) return;
  if (machine::can_merge(*earlier, outcome.file)) {
    machine::merge_into(outcome.file, *earlier, part);
  } else if (part == machine::Part::everything) {
    outcome.file.notes.emplace_back(
        "not merged with the earlier measurement in the machine file: it is of other hardware, "
        "another system or another version of Plait");
  }
}

void report_checks(MeasureOutcome& outcome) {
  const std::string unusable = machine::unusable_sentence(*outcome.file.measured);
  if (unusable.empty()) return;
  outcome.warnings.push_back(unusable +
                             "; other commands leave them out; measure again on an idle "
                             "machine");
}

}  // namespace

MeasureOutcome measure_all(const AllRequest& request, const fs::path& path) {
  const machine::Part part =
      request.only_nodes ? machine::Part::between_nodes : machine::Part::everything;
  std::optional<machine::MachineFile> earlier;
  if (!request.fresh) earlier = earlier_figures(path);
  MeasureOutcome outcome;
  for (int run = 0; run < request.repeat; ++run) {
    MeasureOutcome next = measure_once(request, path);
    merge(earlier, part, next);
    next.warnings.insert(next.warnings.begin(), outcome.warnings.begin(), outcome.warnings.end());
    outcome = std::move(next);
    earlier = outcome.file;
  }
  if (!outcome.file.measured) return outcome;
  machine::check_figures(*outcome.file.measured);
  report_checks(outcome);
  model::add_fits(*outcome.file.measured);
  return outcome;
}

MeasureOutcome measure_figure(const AllRequest& request, PlanFigure figure) {
  AllRequest asked = request;
  asked.only_nodes = true;
  if (!on_nodes(asked)) asked.nodes = "localhost";
  NodesRequest nodes = nodes_request(asked, fs::temp_directory_path() / "figure");
  nodes.figure = figure;
  if (request.node.budget_s <= 0) nodes.seconds = request.node.quick ? kQuickFigure : kFullFigure;
  if (figure == PlanFigure::mixed && nodes.nodes.size() < 2) {
    throw Error("--figure mixed", "needs two nodes", "add --nodes n0,n1 or --cluster NAME");
  }
  MeasureOutcome outcome;
  outcome.file = machine::discover_local();
  measure_nodes(nodes, outcome);
  note_emulation(request.cluster, outcome.file);
  if (outcome.file.measured) model::add_fits(*outcome.file.measured);
  return outcome;
}

std::string emulation_note(const machine::MachineFile& file) {
  const auto found = std::find_if(file.notes.begin(), file.notes.end(), is_emulation_note);
  return found == file.notes.end() ? "" : *found;
}

}  // namespace plait::measure
