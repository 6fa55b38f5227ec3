// SPDX-License-Identifier: BSD-3-Clause
// Predictions of the Jacobi solver's speed as JSON.
#include "report/prediction_json.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

json interval_json(const model::Interval& of, double unit = 1) {
  return {{"value", of.value / unit}, {"low", of.low / unit}, {"high", of.high / unit}};
}

json interval_json(const model::Predicted& of) {
  return interval_json(model::Interval{of.s, of.low_s, of.high_s});
}

json link_json(const std::optional<model::Link>& link) {
  if (!link) return nullptr;
  return {{"latency_us", interval_json(link->latency_s, 1e-6)},
          {"pair_gbs", interval_json(link->pair_bytes_per_s, 1e9)},
          {"several_gbs", interval_json(link->several_bytes_per_s, 1e9)}};
}

json speed_json(const model::SpeedTable& speed) {
  json points = json::array();
  for (const model::SpeedPoint& point : speed.points()) {
    points.push_back(
        {{"cores", point.cores},
         {"mlups", interval_json({speed.at(point.cores), speed.at(point.cores, model::Bound::low),
                                  speed.at(point.cores, model::Bound::high)},
                                 1e6)}});
  }
  return points;
}

json modes_json(const model::JacobiPrediction& prediction, int cores) {
  json modes = json::array();
  for (const model::ModePrediction& mode : prediction.modes) {
    modes.push_back({{"mode", name_of(mode.mode, cores)},
                     {"bound", mode.mode == model::JacobiMode::task_openmp_upper},
                     {"mlups", interval_json(mode.mlups)},
                     {"step_s", interval_json(mode.step_s)},
                     {"exchange_s", interval_json(mode.exchange_s)},
                     {"sweep_s", mode.sweep_s}});
  }
  return modes;
}

json prediction_json(const model::JacobiPrediction& prediction, int cores) {
  json communications = {{"mpi_1ppn", prediction.one_rank.communications}};
  if (prediction.all_ranks) communications["mpi_all"] = prediction.all_ranks->communications;
  return {{"nodes", prediction.of.nodes},
          {"dims", prediction.of.parts},
          {"cells", prediction.of.cells},
          {"total_cells", prediction.of.total_cells},
          {"max_neighbours", prediction.one_rank.max_neighbours},
          {"communications", communications},
          {"network", link_json(prediction.network)},
          {"inside", link_json(prediction.inside)},
          {"modes", modes_json(prediction, cores)}};
}

}  // namespace

json prediction_to_json(const PredictionReport& report) {
  const machine::MachineFile& machine = report.machine;
  json value = {{"schema", "plait-predict"},
                {"schema_version", 1},
                {"plait_version", PLAIT_VERSION},
                {"created", machine::utc_now()},
                {"verdict", prediction_verdict(report)},
                {"solver", "jacobi"},
                {"scaling", report.strong ? "strong" : "weak"},
                {"size", report.size},
                {"bytes_per_cell", report.bytes_per_cell},
                {"machine",
                 {{"host", machine.host},
                  {"origin", machine.origin},
                  {"cpu_model", machine.cpu_model},
                  {"created", machine.created},
                  {"source", machine.measured ? machine.measured->source : ""}}},
                {"cores", report.cores},
                {"speed", speed_json(report.speed)},
                {"speed_from", report.speed_given ? "command line" : "machine file"},
                {"network_from", report.network_given ? "command line" : "machine file"},
                {"predictions", json::array()},
                {"notes", report.notes},
                {"figure", report.figure.empty() ? json(nullptr) : json(report.figure)},
                {"measured", report.measured ? measured_to_json(*report.measured) : json(nullptr)}};
  for (const model::JacobiPrediction& prediction : report.predictions) {
    value["predictions"].push_back(prediction_json(prediction, report.cores));
  }
  return value;
}

}  // namespace plait::report
