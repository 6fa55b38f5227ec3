// SPDX-License-Identifier: BSD-3-Clause
// Runs of plait-jacobi on several nodes beside the model's prediction for their machine.
#include "report/measured_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/json_file.hpp"
#include "model/jacobi_inputs.hpp"
#include "plait/error.hpp"
#include "report/terminal.hpp"
#include "report/terminal_parts.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::report {
namespace {

using model::Interval;
using model::JacobiMode;
using nlohmann::json;

constexpr int kBytesPerCell = 8;

// --- files of plait-jacobi -----------------------------------------------------------------------

/// The most cells along an axis, ranks, and threads of a rank that a run can have.
constexpr int kMost = 1'000'000;

/// The cells of a node's ranks: [first, last) along each axis.
struct Box {
  model::Extents first{}, last{};
};

int number_in(const json& value, int least) {
  const int number = value.get<int>();
  if (number < least || number > kMost) throw JsonError(fmt::format("{} is impossible", number));
  return number;
}

model::Extents extents_of(const json& value) {
  model::Extents extents{};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    extents[axis] = number_in(value.at(axis), 0);
  }
  return extents;
}

std::map<std::string, Box> boxes_of(const json& placement) {
  std::map<std::string, Box> boxes;
  for (const json& rank : placement) {
    const model::Extents first = extents_of(rank.at("first")), last = extents_of(rank.at("last"));
    const auto [node, is_new] = boxes.try_emplace(rank.at("host"), Box{first, last});
    for (std::size_t axis = 0; axis < 3 && !is_new; ++axis) {
      node->second.first[axis] = std::min(node->second.first[axis], first[axis]);
      node->second.last[axis] = std::max(node->second.last[axis], last[axis]);
    }
  }
  return boxes;
}

/// The grid as the model has it: nodes along each axis, and the cells of the largest.
model::JacobiCase case_of(const json& run) {
  const std::map<std::string, Box> boxes = boxes_of(run.at("placement"));
  const model::Extents cells = extents_of(run.at("grid").at("cells"));
  model::JacobiCase of;
  of.nodes = static_cast<int>(boxes.size());
  of.total_cells = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::set<int> begins;
    for (const auto& [node, box] : boxes) {
      begins.insert(box.first[axis]);
      of.cells[axis] = std::max(of.cells[axis], box.last[axis] - box.first[axis]);
    }
    of.parts[axis] = static_cast<int>(begins.size());
    of.total_cells *= cells[axis];
  }
  return of;
}

JacobiMode mode_of(const std::string& schedule, int ranks_of_node, int threads) {
  if (schedule == "blocking" && threads == 1) {
    return ranks_of_node == 1 ? JacobiMode::mpi_one : JacobiMode::mpi_all;
  }
  if (ranks_of_node == 1 && threads > 1) {
    if (schedule == "blocking") return JacobiMode::vector;
    if (schedule == "comm_thread") return JacobiMode::task_manual;
    if (schedule == "tasks") return JacobiMode::task_openmp_conserving;
  }
  throw Error(
      schedule,
      fmt::format("with {} ranks per node and {} threads is not a mode of the model", ranks_of_node,
                  threads),
      "run plait-jacobi with --schedule blocking, or with one rank per node and comm_thread "
      "or tasks");
}

JacobiRun jacobi_run_of(const json& run) {
  JacobiRun result;
  result.of = case_of(run);
  const json& grid = run.at("grid");
  const int threads = number_in(grid.at("threads"), 1);
  const int processes = number_in(grid.at("processes"), 1);
  const model::Extents& parts = result.of.parts;
  const double boxes = 1.0 * parts[0] * parts[1] * parts[2];
  if (result.of.nodes == 0 || boxes != result.of.nodes || processes % result.of.nodes != 0) {
    throw Error("nodes", "their boxes differ in size",
                "run plait-jacobi with equally many ranks per node and --map node_blocked");
  }
  const int ranks = processes / result.of.nodes;
  result.mode = mode_of(run.at("run").at("schedule"), ranks, threads);
  if (1.0 * ranks * threads > kMost) throw JsonError("its ranks and threads are impossible");
  result.cores = ranks * threads;
  result.mlups = run.at("iteration").at("mlups");
  return result;
}

// --- prediction ----------------------------------------------------------------------------------

/// A node's P(k) where `nodes` of them are parts of one machine.
model::SpeedTable shared_speed(const model::SpeedTable& machine, int nodes, int cores) {
  std::vector<model::SpeedPoint> points;
  for (int k = 1; k <= cores; ++k) {
    points.push_back({k, machine.at(nodes * k) / nodes,
                      machine.at(nodes * k, model::Bound::low) / nodes,
                      machine.at(nodes * k, model::Bound::high) / nodes});
  }
  return model::SpeedTable::with_intervals(points);
}

/// Speed and network of the machine.
struct Inputs {
  std::optional<model::SpeedTable> speed;
  const machine::MachineFile& machine;
  const std::optional<EmulatedNodes>& emulated;
};

std::optional<model::Link> network_of(const Inputs& inputs, std::uint64_t message_bytes) {
  if (inputs.machine.measured) {
    if (auto link = model::network_link(*inputs.machine.measured, message_bytes)) return link;
  }
  if (!inputs.emulated) return std::nullopt;
  const double rate = inputs.emulated->bytes_per_s, latency = inputs.emulated->latency_s;
  return model::Link{{latency, latency, latency}, {rate, rate, rate}, {rate, rate, rate}};
}

std::optional<Interval> predicted(const Inputs& from, const MeasuredPoint& point) {
  if (!from.speed) return std::nullopt;
  const int sharing = from.emulated ? point.of.nodes : 1;
  model::JacobiInputs inputs{
      shared_speed(*from.speed, sharing, point.cores), point.cores, {}, {}, kBytesPerCell};
  const model::NodeExchange exchange =
      model::node_exchange(point.of.parts, point.of.cells, {1, 1, 1});
  if (exchange.messages > 0) {
    inputs.network = network_of(
        from, static_cast<std::uint64_t>(exchange.largest_message_cells) * kBytesPerCell);
    if (!inputs.network) return std::nullopt;
  }
  if (point.mode == JacobiMode::mpi_all && from.machine.measured) {
    inputs.inside =
        model::inside_link(*from.machine.measured, point.of, point.cores, kBytesPerCell);
  }
  return model::predict_jacobi(inputs, point.of, std::span(&point.mode, 1)).modes.front().mlups;
}

std::vector<MeasuredPoint> points_of(const std::vector<JacobiRun>& runs) {
  std::map<std::tuple<JacobiMode, int, int, model::Extents>,
           std::pair<JacobiRun, std::vector<double>>>
      all;
  for (const JacobiRun& run : runs) {
    auto& [first, speeds] = all[{run.mode, run.cores, run.of.nodes, run.of.cells}];
    if (speeds.empty()) first = run;
    speeds.push_back(run.mlups);
  }
  std::vector<MeasuredPoint> points;
  for (const auto& [key, equal] : all) {
    const auto& [run, speeds] = equal;
    points.push_back({run.mode,
                      run.cores,
                      run.of,
                      median_interval(speeds),
                      static_cast<int>(speeds.size()),
                      {},
                      false});
  }
  return points;
}

void add_notes(const Inputs& inputs, MeasuredScaling& measured) {
  auto& notes = measured.notes;
  if (!inputs.speed) {
    notes.emplace_back("no prediction: P(k) of this machine was not measured; run: plait measure");
  }
  const bool has_network = inputs.machine.measured && network_of({{}, inputs.machine, {}}, 1);
  if (!has_network && inputs.emulated) {
    notes.push_back(fmt::format(
        "the network was not measured; the prediction uses the rate of the links and only the "
        "added latency. To measure it: plait measure --only-nodes --cluster {}",
        inputs.emulated->name));
  } else if (!has_network) {
    notes.emplace_back(
        "no prediction for several nodes: the network was not measured; run: plait measure "
        "--nodes");
  }
  if (inputs.emulated) {
    notes.emplace_back(
        "the nodes share this machine's memory; the prediction assumes that N nodes of k cores "
        "compute at P(N k)");
  }
  const bool shared = std::any_of(measured.points.begin(), measured.points.end(),
                                  [](const MeasuredPoint& point) { return point.shares_cores; });
  if (shared) {
    notes.emplace_back(
        "*: nodes share cores. One computes while another waits for a message, and each waits for "
        "its turn; the model includes neither effect");
  }
}

// --- text ----------------------------------------------------------------------------------------

std::vector<std::string> cells_of(const MeasuredPoint& point) {
  const MedianInterval& mlups = point.mlups;
  std::vector<std::string> cells{
      std::to_string(point.of.nodes) + (point.shares_cores ? "*" : " "),
      name_of(point.mode, point.cores), format_number(mlups.median),
      mlups.covers ? format_range(mlups.low, mlups.high, format_number, Ends::close) : "too few"};
  if (!point.predicted) {
    cells.emplace_back("-");
    return cells;
  }
  const auto& [value, low, high] = *point.predicted;
  cells.push_back(format_number(value));
  cells.push_back(format_range(low, high, format_number, Ends::close));
  cells.push_back(format_ratio(mlups.median / value));
  return cells;
}

std::string where_of(const MeasuredScaling& measured) {
  if (!measured.emulated) return "Measured by plait-jacobi";
  const EmulatedNodes& of = *measured.emulated;
  return fmt::format("Measured on cluster {}: {} of {}, {} links", of.name,
                     counted(of.nodes, "emulated node"), counted(of.cores_per_node, "core"),
                     format_bits_per_second(of.bytes_per_s));
}

}  // namespace

std::vector<JacobiRun> read_jacobi_runs(const std::filesystem::path& file) {
  const json document = read_json_file(file, "plait-jacobi", 1);
  return convert_json(file, "run plait-jacobi --json again", [&] {
    std::vector<JacobiRun> runs;
    for (const json& run : document.at("runs")) runs.push_back(jacobi_run_of(run));
    return runs;
  });
}

std::vector<double> read_jacobi_speeds(const std::filesystem::path& file) {
  const json document = read_json_file(file, "plait-jacobi", 1);
  return convert_json(file, "run plait-jacobi --json again", [&] {
    std::vector<double> speeds;
    for (const json& run : document.at("runs")) {
      speeds.push_back(run.at("iteration").at("mlups").get<double>());
    }
    return speeds;
  });
}

MeasuredScaling measured_scaling(const std::vector<JacobiRun>& runs,
                                 const machine::MachineFile& machine,
                                 const std::optional<EmulatedNodes>& emulated) {
  MeasuredScaling measured;
  measured.emulated = emulated;
  measured.machine = machine.host;
  measured.points = points_of(runs);
  Inputs inputs{{}, machine, emulated};
  if (machine.measured && model::knows_jacobi_speed(*machine.measured)) {
    inputs.speed = model::jacobi_speed(*machine.measured, machine.host);
  }
  const int cores = machine.topology.usable_cores();
  for (MeasuredPoint& point : measured.points) {
    point.predicted = predicted(inputs, point);
    point.shares_cores = emulated && point.of.nodes * point.cores > cores;
  }
  add_notes(inputs, measured);
  return measured;
}

std::vector<std::string> measured_lines(const MeasuredScaling& measured) {
  std::vector<std::string> lines{truncate(where_of(measured), kTerminalColumns),
                                 fmt::format("MLUP/s of all nodes, median of the runs; predicted "
                                             "for {}",
                                             printable(measured.machine, true))};
  Table table({number_column("nodes"), text_column("mode"), number_column("measured"),
               number_column("95 %"), number_column("predicted"), number_column("interval"),
               number_column("ratio")});
  for (const MeasuredPoint& point : measured.points) table.add(cells_of(point));
  append(lines, table.lines());
  for (const std::string& note : measured.notes) append(lines, wrap_beside("note: ", note));
  return lines;
}

json measured_to_json(const MeasuredScaling& measured) {
  json points = json::array();
  for (const MeasuredPoint& point : measured.points) {
    const auto interval = [](double value, double low, double high) {
      return json{{"value", value}, {"low", low}, {"high", high}};
    };
    const MedianInterval& mlups = point.mlups;
    points.push_back({{"nodes", point.of.nodes},
                      {"dims", point.of.parts},
                      {"cells", point.of.cells},
                      {"mode", name_of(point.mode, point.cores)},
                      {"runs", point.runs},
                      {"mlups", interval(mlups.median, mlups.low, mlups.high)},
                      {"covers", mlups.covers},
                      {"predicted", nullptr},
                      {"shares_cores", point.shares_cores}});
    if (point.predicted) {
      points.back()["predicted"] =
          interval(point.predicted->value, point.predicted->low, point.predicted->high);
    }
  }
  json value = {{"folder", measured.folder},
                {"machine", measured.machine},
                {"cluster", nullptr},
                {"points", std::move(points)},
                {"notes", measured.notes}};
  if (measured.emulated) {
    value["cluster"] = {{"name", measured.emulated->name},
                        {"nodes", measured.emulated->nodes},
                        {"cores_per_node", measured.emulated->cores_per_node},
                        {"bytes_per_s", measured.emulated->bytes_per_s},
                        {"latency_s", measured.emulated->latency_s}};
  }
  return value;
}

}  // namespace plait::report
