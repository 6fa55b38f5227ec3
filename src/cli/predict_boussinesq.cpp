// SPDX-License-Identifier: BSD-3-Clause
// plait predict boussinesq: predicts time per step and memory on ranks and threads.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "advise/boussinesq_forecast.hpp"
#include "cli/json_output.hpp"
#include "cli/predict.hpp"
#include "cli/run_options.hpp"
#include "report/boussinesq_report.hpp"

namespace plait::cli {
namespace {

struct Options {
  advise::BoussinesqRequest request;
  JsonOutput json;
};

int predict(const Options& options) {
  report::BoussinesqReport report = advise::forecast_boussinesq(options.request);
  if (write_json(options.json, report::boussinesq_to_json(report))) return 0;
  report.result = options.json.file;
  for (const std::string& line : report::boussinesq_lines(report)) fmt::print("{}\n", line);
  return 0;
}

}  // namespace

void add_predict_boussinesq(Command& plait) {
  const auto options = std::make_shared<Options>();
  advise::BoussinesqRequest& request = options->request;
  Command& command = plait.add_command(
      "boussinesq", "Predict the Boussinesq solver's time and memory on ranks and threads");
  add_machine_option(command, request.machine,
                     "Machine of each node: a .json or .xml file, or a listed name")
      .defaults_to("this node");
  command
      .option("--case", "NAME", request.named_case,
              "Grid of Jost and Robins (2010): paper1 (256x512x256) or paper2 (1024x512x256)")
      .suggests({"paper1", "paper2"});
  command.option("--size", "NXxNYxNZ", request.size, "Points along x, y, z")
      .defaults_to("64x64x65")
      .excludes("--case");
  command
      .list("--runs", "RANKS", request.runs, ",",
            "Ranks, or ranks x threads of each: 256x1,128x2,64x4")
      .defaults_to("1 to all cores of a node");
  command.option("--per-node", "N", request.per_node, {1, 100000}, "Ranks per node")
      .defaults_to("cores per node over threads");
  command.flag("--subgrid", request.subgrid, "With a subgrid model");
  command.list("--speed", "NUMBERS", request.speed_gflops, {0, 1e300},
               "Speed of DGEMM instead of that by the measured peak, in GFLOP/s on 1, 2, ... "
               "cores");
  command.option("--memory-bandwidth", "RATE", request.memory_bandwidth,
                 "Memory bandwidth of a node instead of the measured one");
  command.option("--inside-bandwidth", "RATE", request.inside_bandwidth,
                 "Bandwidth in a node, of all its cores");
  add_json_output(command, options->json, "the prediction");
  add_network_options(command, request.network);
  command.action([options] { return predict(*options); });
}

}  // namespace plait::cli
