// SPDX-License-Identifier: BSD-3-Clause
// plait predict cg, plait predict hpl: predicts what nodes send each other, and with a machine the
// times with one process per core, and with one per node without and with overlap.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "advise/hybrid_forecast.hpp"
#include "base/quantity.hpp"
#include "cli/json_output.hpp"
#include "cli/predict.hpp"
#include "cli/run_options.hpp"
#include "cluster/rights.hpp"
#include "model/communication_volume.hpp"
#include "model/overlap.hpp"
#include "plait/error.hpp"
#include "report/hybrid_report.hpp"
#include "report/volume_report.hpp"

namespace plait::cli {
namespace {

struct VolumeOptions {
  std::vector<int> nodes{2, 4, 8};
  std::vector<int> cores{2};
  std::int64_t size = 0;
  std::int64_t block = 0;
  std::vector<std::string> compute;
  std::string communicate;
  JsonOutput json;
  advise::HybridRequest times;  ///< used if there is a machine or a study
  std::string figure, table;    ///< of the paper
};

report::VolumeLayout layout_of(const std::string& program, int nodes, int per_node) {
  const int processes = nodes * per_node;
  const model::NodeOfProcess mapping = model::block_mapping(processes, per_node);
  if (program == "hpl") {
    const model::Pattern grid = model::hpl_pattern(processes);
    return {grid.rows, grid.columns, model::hpl_volume(grid.rows, grid.columns, mapping)};
  }
  const model::Pattern pattern = model::cg_pattern(processes);
  return {pattern.rows, pattern.columns, model::volume(pattern, mapping)};
}

/// Viet et al. 2005, equations 2 and 7: cores that do not slow each other down.
report::OverlapTimes times_of(double compute_s, double communicate_s, int cores) {
  const model::SpeedTable speed = model::SpeedTable::linear(1, cores);
  model::StepWork work;
  work.cells = compute_s * cores;
  work.communicate_s = communicate_s;
  return {compute_s, communicate_s, model::blocking_time(work, speed, cores).s,
          model::tasks_time(work, speed, cores).s};
}

/// The value of the case with this index; a single value applies to all cases.
std::optional<report::OverlapTimes> times_of(const VolumeOptions& options, std::size_t at,
                                             int cores) {
  if (options.compute.empty()) return std::nullopt;
  const std::string& compute = options.compute[options.compute.size() == 1 ? 0 : at];
  return times_of(parse_seconds(compute), parse_seconds(options.communicate), cores);
}

double unit_bytes(const VolumeOptions& options) {
  constexpr double kDouble = 8;
  const double columns = options.block > 0 ? static_cast<double>(options.block) : 1;
  return kDouble * columns * static_cast<double>(options.size);
}

int predict_volume(const std::string& program, const VolumeOptions& options) {
  const std::size_t cases = options.nodes.size() * options.cores.size();
  if (options.compute.size() > 1 && options.compute.size() != cases) {
    throw Error("--compute", fmt::format("{} times for {} cases", options.compute.size(), cases),
                "give one time, or one per case");
  }
  report::VolumeReport report;
  report.program = program;
  report.unit_bytes = unit_bytes(options);
  for (const int nodes : options.nodes) {
    for (const int cores : options.cores) {
      report.cases.push_back({nodes, cores, layout_of(program, nodes, cores),
                              layout_of(program, nodes, 1),
                              times_of(options, report.cases.size(), cores)});
    }
  }
  if (write_json(options.json, report::volume_to_json(report))) return 0;
  report.result = options.json.file;
  for (const std::string& line : report::volume_lines(report)) fmt::print("{}\n", line);
  return 0;
}

/// The times on a machine.
int predict_times(const VolumeOptions& options) {
  advise::HybridRequest request = options.times;
  request.nodes = options.nodes;
  request.cores = options.cores;
  request.size = options.size;
  request.block = static_cast<int>(options.block);
  if (!options.figure.empty()) request.study = "figure " + options.figure;
  if (!options.table.empty()) request.study = "table " + options.table;
  if (!request.cluster.empty()) cluster::become_caller(false);
  report::HybridReport report = advise::forecast_hybrid(request);
  if (write_json(options.json, report::hybrid_to_json(report))) return 0;
  report.result = options.json.file;
  for (const std::string& line : report::hybrid_lines(report)) fmt::print("{}\n", line);
  return 0;
}

/// Options of predictions for a machine.
void add_times(Command& command, VolumeOptions& options, bool is_hpl) {
  command.heading("Times on a machine, instead of volumes");
  add_machine_option(command, options.times.machine,
                     "Machine of each node: a .json or .xml file, a listed name, or \"\" for this "
                     "node");
  if (is_hpl) {
    command.option("--grid", "PxQ", options.times.grid, "Grid of processes")
        .defaults_to("that on which nodes send least");
  } else {
    command.option("--class", "NAME", options.times.cg_class, "Class of the benchmark")
        .defaults_to("B; A with --cluster")
        .suggests({"S", "W", "A", "B", "C", "D", "E"});
  }
  command.list("--speed", "NUMBERS", options.times.speed_gflops, {0, 1e300},
               "Speed instead of the measured speed, in GFLOP/s on 1, 2, ... cores");
  command.option("--inside-bandwidth", "RATE", options.times.inside_bandwidth,
                 "Bandwidth in a node, of all its cores");
  if (is_hpl) {
    command
        .option("--figure", "NUMBER", options.figure,
                "The paper's figure 8 (sizes, cores, nodes) or 9 (differences), for this machine")
        .suggests({"8", "9"});
  } else {
    command
        .option("--figure", "NUMBER", options.figure,
                "The paper's figure 4 (cores and nodes), for this machine")
        .suggests({"4"});
    command
        .option("--table", "NUMBER", options.table,
                "The paper's table 4 (gain of TC over PC), for this machine")
        .suggests({"4"})
        .excludes("--figure");
  }
  const std::string solver = is_hpl ? "plait-lu" : "plait-cg";
  command.option("--cluster", "NAME", options.times.cluster,
                 "Also measure with " + solver + " on the nodes of this emulated cluster");
  command.option("--repeat", "N", options.times.repeat, {1, 1000}, "Runs of each measured point")
      .defaults_to("3");
  command
      .option("--launcher", "PROGRAM", options.times.launcher,
              "The mpiexec of the MPI that " + solver + " was built with")
      .defaults_to("mpiexec");
  add_network_options(command, options.times.network);
}

void add_program(Command& predict, const std::string& program, const std::string& summary) {
  const auto options = std::make_shared<VolumeOptions>();
  const bool is_hpl = program == "hpl";
  options->times.program = program;
  Command& command = predict.add_command(program, summary);
  command.list("--nodes", "NUMBERS", options->nodes, {1, 4096}, "Numbers of nodes")
      .defaults_to("2,4,8");
  command.list("--cores", "NUMBERS", options->cores, {1, 1024}, "Cores per node: 2,4,8")
      .defaults_to("2");
  command.option("--size", "N", options->size, {1, 1LL << 40},
                 is_hpl
                     ? "Columns of the matrix right of the diagonal block, to report bytes; order "
                       "of the matrix, for times"
                     : "Length n of the vector, to report bytes or for times");
  if (is_hpl) {
    command.option("--block", "N", options->block, {1, 1 << 20},
                   "Block size nb, to report bytes, or for times (default: 80)");
  }
  command
      .list("--compute", "TIMES", options->compute, ",",
            "Computation time of a node on all its cores: 579s; one value, or one per case")
      .needs("--communicate");
  command
      .option("--communicate", "TIME", options->communicate,
              "Communication time of the single process of a node: 114s")
      .needs("--compute");
  add_json_output(command, options->json, "the prediction");
  add_times(command, *options, is_hpl);
  command.action([&command, options, program] {
    // Of emulated nodes, which solve it in seconds.
    if (program == "cg" && !options->times.cluster.empty() && !command.given("--class")) {
      options->times.cg_class = "A";
    }
    const bool times = command.given("--machine") || command.given("--speed") ||
                       !options->times.cluster.empty() || !options->figure.empty() ||
                       !options->table.empty();
    return times ? predict_times(*options) : predict_volume(program, *options);
  });
}

}  // namespace

void add_predict_volume(Command& predict) {
  add_program(
      predict, "cg",
      "Predict volumes and times of CG (NAS), pure MPI and hybrid with and without overlap");
  add_program(predict, "hpl",
              "Predict volumes and times of HPL, pure MPI and hybrid with and without overlap");
}

}  // namespace plait::cli
