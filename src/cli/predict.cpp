// SPDX-License-Identifier: BSD-3-Clause
// plait predict: how fast a solver would run on some nodes, in each parallel model.
#include "cli/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json_file.hpp"
#include "base/quantity.hpp"
#include "cli/commands.hpp"
#include "cli/predict_figure.hpp"
#include "launch/run_directory.hpp"
#include "machine/open_machine.hpp"
#include "model/jacobi_inputs.hpp"
#include "plait/error.hpp"
#include "report/page.hpp"
#include "report/prediction.hpp"

namespace plait::cli {
namespace {

using model::Extents;
using model::JacobiCase;
using model::JacobiMode;

struct PredictOptions {
  std::string machine;
  std::vector<int> nodes{1, 2, 4, 8, 16, 32, 64};
  std::vector<std::string> dims;
  std::string size = "120";
  std::string strong;
  std::vector<std::string> modes{"all"};
  int cores = 0;
  std::vector<double> speed_mlups;
  std::string latency;
  std::string bandwidth;
  std::string pair_bandwidth;
  std::string json;
  std::string page;
  std::string figure;
  std::string cluster;
  std::string measured;
  std::string measured_machine;
  std::string launcher = "mpiexec";
  int repeat = 6;
};

/// "480x240x120"; with `cube` also "120" for the same along each axis.
Extents parse_extents(const std::string& text, bool cube) {
  std::vector<int> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (bool more = true; more;) {
    int number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || number < 1 || number > 1000000) break;
    numbers.push_back(number);
    more = next != end && *next == 'x';
    at = more ? next + 1 : next;
    if (!more && at != end) break;
    if (!more && numbers.size() == 3) return {numbers[0], numbers[1], numbers[2]};
    if (!more && numbers.size() == 1 && cube) return {number, number, number};
  }
  throw Error(text, "is not three numbers from 1 to 1000000",
              std::string("give them as 480x240x120") + (cube ? ", or one for a cube" : ""));
}

Extents parse_arrangement(const std::string& text) {
  const Extents parts = parse_extents(text, false);
  if (std::int64_t{parts[0]} * parts[1] > std::numeric_limits<int>::max() / parts[2]) {
    throw Error(text, "is more nodes than can be counted", "give fewer");
  }
  return parts;
}

std::vector<JacobiCase> cases_of(const PredictOptions& options, const Extents& size) {
  const bool strong = !options.strong.empty();
  std::vector<JacobiCase> cases;
  for (const std::string& text : options.dims) {
    const Extents parts = parse_arrangement(text);
    cases.push_back(strong ? model::strong_case(parts, size) : model::weak_case(parts, size));
  }
  if (!cases.empty()) return cases;
  for (const int nodes : options.nodes) {
    cases.push_back(strong ? model::strong_case(nodes, size) : model::weak_case(nodes, size));
  }
  return cases;
}

model::SpeedTable speed_of(const PredictOptions& options, const machine::MachineFile& machine) {
  if (options.speed_mlups.empty()) {
    return model::jacobi_speed(machine.measured.value_or(machine::Measured{}), machine.host);
  }
  std::vector<std::pair<int, double>> points;
  for (const double mlups : options.speed_mlups) {
    points.emplace_back(static_cast<int>(points.size()) + 1, mlups * 1e6);
  }
  return model::SpeedTable(points);
}

model::Interval exactly(double value) {
  return {value, value, value};
}

/// The network as measured, with what was given by hand in its place.
model::Link network_of(const PredictOptions& options, const machine::MachineFile& machine,
                       std::uint64_t message_bytes) {
  std::optional<model::Link> link;
  if (machine.measured) link = model::network_link(*machine.measured, message_bytes);
  if (!link && (options.latency.empty() || options.bandwidth.empty())) {
    throw Error(machine.host, "no network between nodes was measured on this machine",
                "give --latency 50us --bandwidth 90MB/s with your network's figures, or --nodes 1");
  }
  model::Link network = link.value_or(model::Link{});
  if (!options.latency.empty()) network.latency_s = exactly(parse_seconds(options.latency));
  if (!options.bandwidth.empty()) {
    network.several_bytes_per_s = exactly(parse_bytes_per_second(options.bandwidth));
    network.pair_bytes_per_s = network.several_bytes_per_s;
  }
  if (!options.pair_bandwidth.empty()) {
    network.pair_bytes_per_s = exactly(parse_bytes_per_second(options.pair_bandwidth));
  }
  return network;
}

/// The path between the ranks of a node, for messages of their size, where ranks share a node.
std::optional<model::Link> inside_of(const report::PredictionReport& report, const JacobiCase& of,
                                     const std::vector<JacobiMode>& modes) {
  if (!report.machine.measured ||
      std::find(modes.begin(), modes.end(), JacobiMode::mpi_all) == modes.end()) {
    return std::nullopt;
  }
  return model::inside_link(*report.machine.measured, of, report.cores, report.bytes_per_cell);
}

std::vector<JacobiMode> modes_of(const PredictOptions& options, int cores) {
  std::vector<JacobiMode> modes;
  for (const std::string& name : options.modes) {
    if (name == "all") return model::jacobi_modes(cores);
    modes.push_back(model::mode_named(name, cores));
  }
  return modes;
}

/// Whether two fields of so many cells fit into the caches of a node.
bool in_cache(const machine::MachineFile& machine, const Extents& cells, int bytes_per_cell) {
  const double bytes = 2.0 * cells[0] * cells[1] * cells[2] * bytes_per_cell;
  return bytes <= static_cast<double>(machine.topology.last_level_cache_bytes());
}

/// P(k) holds for grids that lie where the measured one lay: in the caches or not.
void note_caches(const report::PredictionReport& report, std::vector<std::string>& notes) {
  if (report.speed_given || !report.machine.measured) return;
  const Extents& measured = report.machine.measured->jacobi.front().grid;
  const bool measured_in_cache = in_cache(report.machine, measured, report.bytes_per_cell);
  for (const model::JacobiPrediction& one : report.predictions) {
    if (in_cache(report.machine, one.of.cells, report.bytes_per_cell) == measured_in_cache)
      continue;
    notes.push_back(fmt::format(
        "a node's {}x{}x{} cells lie {} its last-level cache, P(k) was measured on {}x{}x{}, {} "
        "it: "
        "from {} on expect {} than predicted, or give --speed",
        one.of.cells[0], one.of.cells[1], one.of.cells[2], measured_in_cache ? "outside" : "in",
        measured[0], measured[1], measured[2], measured_in_cache ? "in" : "outside",
        one.of.nodes == 1 ? "one node" : fmt::format("{} nodes", one.of.nodes),
        measured_in_cache ? "less" : "more"));
    return;
  }
}

/// What the reader should know of these figures.
std::vector<std::string> notes_of(const report::PredictionReport& report) {
  std::vector<std::string> notes;
  bool has_bound = false;
  bool lacks_inside = false;
  for (const model::ModePrediction& mode : report.predictions.front().modes) {
    has_bound = has_bound || mode.mode == JacobiMode::task_openmp_upper;
    lacks_inside = lacks_inside || (mode.mode == JacobiMode::mpi_all &&
                                    !report.predictions.front().inside.has_value());
  }
  if (has_bound) {
    notes.emplace_back(
        "task_openmp_upper is a bound: all cores compute while one of them communicates");
  }
  if (lacks_inside) {
    notes.emplace_back(fmt::format(
        "no path between the cores of a node was measured: {} leaves out messages inside a node",
        name_of(JacobiMode::mpi_all, report.cores)));
  }
  if (report.cores == 1) {
    notes.emplace_back("on one core a node no thread can be spared to communicate; --cores 2");
  }
  if (report.cores > report.speed.cores()) {
    notes.emplace_back(fmt::format(
        "P(k) is known up to {} cores only: more are taken to be as fast; --speed gives more",
        report.speed.cores()));
  }
  note_caches(report, notes);
  const auto& measured = report.machine.measured;
  if (!report.speed_given && measured && measured->sentinel && measured->sentinel->changed) {
    notes.emplace_back(
        "the machine changed its speed while it was measured; measure it again when it is quiet");
  }
  return notes;
}

/// What a figure of the thesis has, unless the user says otherwise.
void preset(const CLI::App& command, PredictOptions& options) {
  if (options.figure.empty()) return;
  const Figure& figure = figure_numbered(options.figure);
  if (command.count("--machine") == 0) options.machine = kFigureMachine;
  if (command.count("--nodes") == 0) options.nodes = figure_nodes();
  if (command.count("--mode") == 0) options.modes = figure.modes;
  options.figure += ": " + figure.title;
}

/// What is to be measured: the predicted numbers of nodes and modes.
FigureRuns runs_of(const PredictOptions& options, const report::PredictionReport& report) {
  FigureRuns runs;
  runs.cluster = options.cluster;
  for (const model::JacobiPrediction& one : report.predictions) runs.nodes.push_back(one.of.nodes);
  for (const model::ModePrediction& asked : report.predictions.front().modes) {
    runs.modes.push_back(asked.mode);
  }
  runs.cells = report.size;
  runs.repeat = options.repeat;
  runs.launcher = options.launcher;
  runs.folder = std::filesystem::absolute("plait-figures/" + launch::iso_now());
  return runs;
}

void add_measured(const PredictOptions& options, report::PredictionReport& report) {
  if (options.cluster.empty() && options.measured.empty()) return;
  if (report.strong) {
    throw Error("--strong", "has no measured points here", "give --size for weak scaling");
  }
  std::filesystem::path folder = options.measured;
  if (!options.cluster.empty()) {
    const FigureRuns runs = runs_of(options, report);
    run_figure(runs);
    folder = runs.folder;
  }
  report.measured = figure_points(folder, machine::open_machine(options.measured_machine));
}

int predict_jacobi(const PredictOptions& options) {
  const machine::MachineFile machine = machine::open_machine(options.machine);
  const bool strong = !options.strong.empty();
  report::PredictionReport report{machine,
                                  !options.speed_mlups.empty(),
                                  !options.latency.empty() || !options.bandwidth.empty(),
                                  strong,
                                  parse_extents(strong ? options.strong : options.size, true),
                                  speed_of(options, machine),
                                  1,
                                  8,
                                  {},
                                  {},
                                  {}};
  report.cores = options.cores > 0 ? options.cores : report.speed.cores();
  const std::vector<JacobiMode> modes = modes_of(options, report.cores);
  for (const JacobiCase& of : cases_of(options, report.size)) {
    const model::NodeExchange exchange = model::node_exchange(of.parts, of.cells, {1, 1, 1});
    const auto message_bytes =
        static_cast<std::uint64_t>(exchange.largest_message_cells * report.bytes_per_cell);
    model::JacobiInputs inputs{report.speed, report.cores, {}, {}, report.bytes_per_cell};
    if (exchange.messages > 0) inputs.network = network_of(options, machine, message_bytes);
    inputs.inside = inside_of(report, of, modes);
    report.predictions.push_back(model::predict_jacobi(inputs, of, modes));
  }
  report.notes = notes_of(report);
  report.figure = options.figure;
  add_measured(options, report);
  if (!options.page.empty()) {
    const std::string left_out =
        report::write_page({{"prediction", report::prediction_to_json(report)}}, options.page);
    if (!left_out.empty()) fmt::print(stderr, "plait: {}\n", left_out);
    if (left_out.empty()) report.page = options.page;
  }
  const auto keep = nlohmann::json::error_handler_t::replace;
  if (options.json == "-") {
    fmt::print("{}\n", report::prediction_to_json(report).dump(1, ' ', false, keep));
    return 0;
  }
  if (!options.json.empty()) {
    write_json_file(options.json, report::prediction_to_json(report));
    report.result = options.json;
  }
  for (const std::string& line :
       report::prediction_lines(report, report::terminal_options(stdout))) {
    fmt::print("{}\n", line);
  }
  return 0;
}

void add_figure_options(CLI::App& command, PredictOptions& options) {
  command.add_option("--figure", options.figure,
                     "Stengel's figure 2.3 or 2.5: his machine, nodes and modes");
  CLI::Option* const cluster =
      command.add_option("--cluster", options.cluster,
                         "Also measure by plait-jacobi on the nodes of this emulated cluster");
  command
      .add_option("--measured", options.measured,
                  "Also show what plait-jacobi --json wrote into this folder")
      ->excludes(cluster);
  command.add_option("--measured-machine", options.measured_machine,
                     "Machine file that measured points are predicted by (default: this node)");
  command.add_option("--repeat", options.repeat, "Runs of each measured point (6)")
      ->check(CLI::Range(1, 1000));
  command.add_option("--launcher", options.launcher,
                     "The mpiexec of the MPI that plait-jacobi is built with");
}

}  // namespace

void add_predict(CLI::App& app, int& exit_code) {
  CLI::App* const predict = app.add_subcommand(
      "predict", "Say how fast a solver would run, or what it sends, on some nodes");
  predict->require_subcommand(1);
  const auto options = std::make_shared<PredictOptions>();
  CLI::App* const command = predict->add_subcommand(
      "jacobi", "The 3D Jacobi solver in each parallel model (docs/models.md)");
  command->add_option("-m,--machine", options->machine,
                      "A node: a .json or .xml file or a listed name (default: this node)");
  CLI::Option* const nodes =
      command->add_option("--nodes", options->nodes, "Numbers of nodes: 1,2,4 (default: to 64)")
          ->delimiter(',')
          ->check(CLI::Range(1, 1000000));
  command
      ->add_option("--dims", options->dims,
                   "Nodes arranged by hand, instead of --nodes: 4x2x2,4x4x2")
      ->delimiter(',')
      ->excludes(nodes);
  CLI::Option* const size =
      command->add_option("--size", options->size,
                          "Weak scaling: cells of each node, 120 or 240x120x60 (default: 120)");
  command
      ->add_option("--strong", options->strong,
                   "Strong scaling: cells of the whole grid, 480 or 480x480x240")
      ->excludes(size);
  command
      ->add_option("--mode", options->modes,
                   "mpi_1ppn, mpi_all, vector, task_manual, task_openmp_upper, "
                   "task_openmp_conserving, or all (default)")
      ->delimiter(',');
  command->add_option("--cores", options->cores, "Cores of a node that are used (default: all)")
      ->check(CLI::Range(1, 100000));
  command
      ->add_option("--speed", options->speed_mlups,
                   "P(k) by hand, MLUP/s on 1, 2, ... cores: 177,198")
      ->delimiter(',');
  command->add_option("--latency", options->latency, "Of the network, by hand: 50us");
  command->add_option("--bandwidth", options->bandwidth,
                      "Of the network, a direction, several pairs at once: 90MB/s");
  command->add_option("--pair-bandwidth", options->pair_bandwidth,
                      "The same of a single pair (default: --bandwidth)");
  command->add_option("--json", options->json, "Write the prediction here; - prints it instead");
  command->add_option("--html", options->page, "Draw it on a page, in this file");
  add_figure_options(*command, *options);
  command->callback([command, options, &exit_code] {
    preset(*command, *options);
    exit_code = predict_jacobi(*options);
  });
  add_predict_volume(*predict, exit_code);
}

}  // namespace plait::cli
