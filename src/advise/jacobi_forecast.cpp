// SPDX-License-Identifier: BSD-3-Clause
// Predicts the speed of the Jacobi solver for a request of the command line.
#include "advise/jacobi_forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "advise/figure_runs.hpp"
#include "machine/figure_checks.hpp"
#include "machine/open_machine.hpp"
#include "model/jacobi_inputs.hpp"
#include "plait/error.hpp"
#include "run/run_directory.hpp"
#include "text/counted.hpp"
#include "text/extents.hpp"

namespace plait::advise {
namespace {

using model::Extents;
using model::JacobiCase;
using model::JacobiMode;

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
  throw Error(text, "not three numbers from 1 to 1000000",
              std::string("write them as 480x240x120") + (cube ? ", or one for a cube" : ""));
}

Extents parse_arrangement(const std::string& text) {
  const Extents parts = parse_extents(text, false);
  if (std::int64_t{parts[0]} * parts[1] > std::numeric_limits<int>::max() / parts[2]) {
    throw Error(text, "too many nodes", "give fewer");
  }
  return parts;
}

std::vector<JacobiCase> cases_of(const ForecastRequest& options, const Extents& size) {
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

model::SpeedTable speed_of(const ForecastRequest& options, const machine::MachineFile& machine) {
  if (options.speed_mlups.empty()) {
    return model::jacobi_speed(machine.measured.value_or(machine::Measured{}), machine.host);
  }
  std::vector<std::pair<int, double>> points;
  for (const double mlups : options.speed_mlups) {
    points.emplace_back(static_cast<int>(points.size()) + 1, mlups * 1e6);
  }
  return model::SpeedTable(points);
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

std::vector<JacobiMode> modes_of(const ForecastRequest& options, int cores) {
  std::vector<JacobiMode> modes;
  for (const std::string& name : options.modes) {
    if (name == "all") return model::jacobi_modes(cores);
    modes.push_back(model::mode_named(name, cores));
  }
  return modes;
}

/// True if two fields of this many cells fit into the caches of a node.
bool in_cache(const machine::MachineFile& machine, const Extents& cells, int bytes_per_cell) {
  const double bytes = 2.0 * cells[0] * cells[1] * cells[2] * bytes_per_cell;
  return bytes <= static_cast<double>(machine.topology.last_level_cache_bytes());
}

/// P(k) is valid for grids that are in the caches if the measured one was, and vice versa.
void note_caches(const report::PredictionReport& report, std::vector<std::string>& notes) {
  if (report.speed_given || !report.machine.measured) return;
  const Extents& measured = report.machine.measured->jacobi.front().grid;
  const bool measured_in_cache = in_cache(report.machine, measured, report.bytes_per_cell);
  for (const model::JacobiPrediction& one : report.predictions) {
    if (in_cache(report.machine, one.of.cells, report.bytes_per_cell) == measured_in_cache)
      continue;
    notes.push_back(
        fmt::format("a node's {} cells are {} its last-level cache, but P(k) was measured on {}, "
                    "{} it: from {} on, expect {} speed than predicted, or give --speed",
                    format_extents(one.of.cells), measured_in_cache ? "outside" : "in",
                    format_extents(measured), measured_in_cache ? "in" : "outside",
                    counted(one.of.nodes, "node"), measured_in_cache ? "less" : "more"));
    return;
  }
}

/// The limits of a prediction, as sentences.
std::vector<std::string> notes_of(const report::PredictionReport& report) {
  std::vector<std::string> notes;
  bool has_bound = false;
  bool no_inside = false;
  for (const model::ModePrediction& mode : report.predictions.front().modes) {
    has_bound = has_bound || mode.mode == JacobiMode::task_openmp_upper;
    no_inside = no_inside || (mode.mode == JacobiMode::mpi_all &&
                              !report.predictions.front().inside.has_value());
  }
  if (has_bound) {
    notes.emplace_back(
        "task_openmp_upper is a bound: all cores compute while one of them communicates");
  }
  if (no_inside) {
    notes.emplace_back(fmt::format(
        "no path between the cores of a node was measured: {} leaves out messages inside a node",
        name_of(JacobiMode::mpi_all, report.cores)));
  }
  if (report.cores == 1) {
    notes.emplace_back("with one core per node, no thread is free to communicate; try --cores 2");
  }
  if (report.cores > report.speed.cores()) {
    notes.emplace_back(
        fmt::format("P(k) is known up to {} cores only: the prediction assumes that more cores add "
                    "nothing; give --speed for more cores",
                    report.speed.cores()));
  }
  note_caches(report, notes);
  const auto& measured = report.machine.measured;
  if (measured && !(report.speed_given && report.network_given)) {
    const std::vector<std::string> doubts = machine::reliability_notes(*measured);
    notes.insert(notes.end(), doubts.begin(), doubts.end());
    for (const machine::JacobiResult& result : measured->jacobi) {
      if (report.speed_given || result.mlups.usable()) continue;
      notes.push_back(fmt::format("P({}) with {} stores is not used: {}", result.cores,
                                  result.non_temporal ? "non-temporal" : "ordinary",
                                  result.mlups.unusable));
    }
  }
  return notes;
}

/// The runs to measure: the predicted numbers of nodes and modes.
FigureRuns runs_of(const ForecastRequest& options, const report::PredictionReport& report) {
  FigureRuns runs;
  runs.cluster = options.cluster;
  for (const model::JacobiPrediction& one : report.predictions) runs.nodes.push_back(one.of.nodes);
  for (const model::ModePrediction& asked : report.predictions.front().modes) {
    runs.modes.push_back(asked.mode);
  }
  runs.cells = report.size;
  runs.repeat = options.repeat;
  runs.launcher = options.launcher;
  runs.folder = std::filesystem::absolute("plait-figures/" + run::iso_now());
  return runs;
}

void add_measured(const ForecastRequest& options, report::PredictionReport& report) {
  if (options.cluster.empty() && options.measured.empty()) return;
  if (report.strong) {
    throw Error("--strong has no measured points; use --size for weak scaling");
  }
  std::filesystem::path folder = options.measured;
  if (!options.cluster.empty()) {
    const FigureRuns runs = runs_of(options, report);
    run_figure(runs);
    folder = runs.folder;
  }
  report.measured = figure_points(folder, machine::open_machine(options.measured_machine));
}

}  // namespace

report::PredictionReport forecast_jacobi(const ForecastRequest& options) {
  const machine::MachineFile machine = machine::open_machine(options.machine);
  const bool strong = !options.strong.empty();
  report::PredictionReport report{
      machine,
      !options.speed_mlups.empty(),
      !options.network.latency.empty() || !options.network.bandwidth.empty(),
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
    if (exchange.messages > 0) inputs.network = network_of(options.network, machine, message_bytes);
    inputs.inside = inside_of(report, of, modes);
    report.predictions.push_back(model::predict_jacobi(inputs, of, modes));
  }
  report.notes = notes_of(report);
  report.figure = options.figure;
  add_measured(options, report);
  return report;
}

}  // namespace plait::advise
