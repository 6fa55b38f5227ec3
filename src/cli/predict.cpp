// SPDX-License-Identifier: BSD-3-Clause
// plait predict: predicts a solver's speed on several nodes in each parallel model.
#include "cli/predict.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "advise/figure_runs.hpp"
#include "advise/jacobi_forecast.hpp"
#include "cli/commands.hpp"
#include "cli/json_output.hpp"
#include "cli/run_options.hpp"
#include "cluster/rights.hpp"
#include "report/page.hpp"
#include "report/prediction_json.hpp"

namespace plait::cli {
namespace {

struct PredictOptions {
  advise::ForecastRequest request;
  JsonOutput json;
  std::string page;
};

/// The defaults of the figures of the thesis.
void preset(const Command& command, advise::ForecastRequest& request) {
  if (request.figure.empty()) return;
  const advise::Figure& figure = advise::figure_numbered(request.figure);
  if (!command.given("--machine")) request.machine = advise::kFigureMachine;
  if (!command.given("--nodes")) request.nodes = advise::figure_nodes();
  if (!command.given("--mode")) request.modes = figure.modes;
  request.figure += ": " + figure.title;
}

int predict_jacobi(const PredictOptions& options) {
  if (!options.request.cluster.empty()) cluster::become_caller(false);
  report::PredictionReport report = advise::forecast_jacobi(options.request);
  const nlohmann::json value = report::prediction_to_json(report);
  if (!options.page.empty()) {
    const std::string left_out = report::write_page({{"prediction", value}}, options.page);
    if (!left_out.empty()) fmt::print(stderr, "plait: {}\n", left_out);
    if (left_out.empty()) report.page = options.page;
  }
  if (write_json(options.json, value)) return 0;
  report.result = options.json.file;
  for (const std::string& line :
       report::prediction_lines(report, report::terminal_options(stdout))) {
    fmt::print("{}\n", line);
  }
  return 0;
}

void add_case_options(Command& command, advise::ForecastRequest& request) {
  add_machine_option(command, request.machine,
                     "Machine of each node: a .json or .xml file, or a listed name")
      .defaults_to("this node");
  command.list("--nodes", "NUMBERS", request.nodes, {1, 1000000}, "Numbers of nodes: 1,2,4")
      .defaults_to("1 to 64");
  command
      .list("--dims", "GRIDS", request.dims, ",", "Grids of nodes, instead of --nodes: 4x2x2,4x4x2")
      .excludes("--nodes");
  command
      .option("--size", "CELLS", request.size,
              "Weak scaling: cells of each node, 120 or 240x120x60")
      .defaults_to("120");
  command
      .option("--strong", "CELLS", request.strong,
              "Strong scaling: cells of the whole grid, 480 or 480x480x240")
      .excludes("--size");
  command
      .list("--mode", "MODES", request.modes, ",",
            "Parallel models: mpi_1ppn, mpi_all, vector, task_manual, task_openmp_upper, "
            "task_openmp_conserving, or all")
      .defaults_to("all")
      .suggests({"mpi_1ppn", "mpi_all", "vector", "task_manual", "task_openmp_upper",
                 "task_openmp_conserving", "all"});
  command.option("--cores", "N", request.cores, {1, 100000}, "Cores used per node")
      .defaults_to("all");
  command.list("--speed", "NUMBERS", request.speed_mlups, {-1e300, 1e300},
               "Speed P(k) instead of the measured speed, in MLUP/s on 1, 2, ... cores: 177,198");
}

void add_figure_options(Command& command, advise::ForecastRequest& request) {
  command.heading("Figures and measured points");
  command
      .option("--figure", "NUMBER", request.figure,
              "Stengel's figure 2.3 or 2.5: its machine, nodes and modes")
      .suggests({"2.3", "2.5"});
  command.option("--cluster", "NAME", request.cluster,
                 "Also measure with plait-jacobi on the nodes of this emulated cluster");
  command
      .option("--measured", "FOLDER", request.measured,
              "Also show the points that plait-jacobi --json wrote to this folder")
      .excludes("--cluster")
      .completes(Complete::folder);
  command
      .option("--measured-machine", "MACHINE", request.measured_machine,
              "Machine for the predictions of measured points")
      .defaults_to("this node")
      .completes(Complete::file);
  command.option("--repeat", "N", request.repeat, {1, 1000}, "Runs of each measured point")
      .defaults_to("6");
  command
      .option("--launcher", "PROGRAM", request.launcher,
              "The mpiexec of the MPI that plait-jacobi was built with")
      .defaults_to("mpiexec");
}

}  // namespace

void add_network_options(Command& command, advise::GivenNetwork& network) {
  command.heading("Network, instead of the measured network");
  command.option("--latency", "TIME", network.latency, "Latency: 50us");
  command.option("--bandwidth", "RATE", network.bandwidth,
                 "Bandwidth in each direction, several pairs at once: 90MB/s");
  command.option("--pair-bandwidth", "RATE", network.pair_bandwidth, "Bandwidth of a single pair")
      .defaults_to("--bandwidth");
}

void add_predict(Command& plait) {
  Command& predict = plait.add_command(
      "predict", "Predict speed or communication of Jacobi, CG, HPL and Boussinesq", group::decide);
  const auto options = std::make_shared<PredictOptions>();
  Command& command =
      predict.add_command("jacobi", "Predict the 3D Jacobi solver in each parallel model");
  add_case_options(command, options->request);
  add_json_output(command, options->json, "the prediction");
  command.option("--html", "FILE", options->page, "Write the prediction as an HTML page")
      .completes(Complete::file);
  add_network_options(command, options->request.network);
  add_figure_options(command, options->request);
  command.action([&command, options] {
    preset(command, options->request);
    return predict_jacobi(*options);
  });
  add_predict_volume(predict);
  add_predict_boussinesq(predict);
}

}  // namespace plait::cli
