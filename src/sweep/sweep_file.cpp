// SPDX-License-Identifier: BSD-3-Clause
// The file sweep.json: the state of a sweep, from which it can be resumed, and its result.
#include "sweep/sweep_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json_file.hpp"
#include "base/secrets.hpp"
#include "plait/error.hpp"
#include "report/optional_json.hpp"
#include "sweep/forecast.hpp"
#include "sweep/plan_lines.hpp"
#include "sweep/result.hpp"
#include "sweep/result_lines.hpp"
#include "sweep/schedule.hpp"

namespace plait::sweep {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<FigureKind, const char*>, 3> kFigures{
    {{FigureKind::wall, "wall"}, {FigureKind::metric, "metric"}, {FigureKind::region, "region"}}};

json values_json(const Values& values) {
  json object = json::object();
  for (const auto& [name, value] : values) object[name] = value;
  return object;
}

json grid_json(const Grid& grid) {
  json over = json::array();
  for (const Parameter& parameter : grid.over) {
    over.push_back({{"name", parameter.name}, {"values", parameter.values}});
  }
  json derived = json::array();
  for (const Derived& each : grid.derived) {
    derived.push_back({{"name", each.name}, {"expression", each.expression}, {"weak", each.weak}});
  }
  std::vector<std::string> set;
  for (const std::string& assignment : grid.set) set.push_back(masked_text(assignment));
  return {{"command", masked_arguments(grid.command)},
          {"over", over},
          {"derived", derived},
          {"set", set},
          {"most_cores", grid.most_cores},
          {"core_parameters", grid.core_parameters}};
}

Grid grid_of(const json& value) {
  Grid grid;
  value.at("command").get_to(grid.command);
  for (const json& each : value.at("over")) {
    grid.over.push_back(
        {each.at("name").get<std::string>(), each.at("values").get<std::vector<std::string>>()});
  }
  for (const json& each : value.at("derived")) {
    grid.derived.push_back({each.at("name").get<std::string>(),
                            each.at("expression").get<std::string>(), each.at("weak").get<bool>()});
  }
  value.at("set").get_to(grid.set);
  value.at("most_cores").get_to(grid.most_cores);
  // Sweeps of earlier versions have none.
  grid.core_parameters = value.value("core_parameters", std::vector<std::string>{});
  return grid;
}

json factors_json(const Factors& factors) {
  return {{"parallel", factors.parallel},
          {"load_balance", factors.load_balance},
          {"communication", factors.communication},
          {"threads", factors.threads},
          {"cpu", factors.cpu}};
}

json run_json(const PointRun& run) {
  return {{"folder", run.folder},
          {"value", run.value},
          {"wall_s", run.wall_s},
          {"other_cpus", run.other_cpus},
          {"cpus", run.cpus},
          {"efficiencies", factors_json(run.factors)},
          {"node_bytes", run.node_bytes}};
}

PointRun run_of(const json& value) {
  PointRun run;
  value.at("folder").get_to(run.folder);
  value.at("value").get_to(run.value);
  value.at("wall_s").get_to(run.wall_s);
  value.at("other_cpus").get_to(run.other_cpus);
  run.cpus = value.value("cpus", 0.0);  // sweeps of earlier versions have none
  const json& factors = value.at("efficiencies");
  factors.at("parallel").get_to(run.factors.parallel);
  factors.at("load_balance").get_to(run.factors.load_balance);
  factors.at("communication").get_to(run.factors.communication);
  factors.at("threads").get_to(run.factors.threads);
  factors.at("cpu").get_to(run.factors.cpu);
  value.at("node_bytes").get_to(run.node_bytes);
  return run;
}

json failure_json(const std::optional<PointFailure>& failure) {
  if (!failure) return nullptr;
  return {{"outcome", run::outcome_name(failure->outcome.kind)},
          {"exit_code", failure->outcome.exit_code},
          {"signal", failure->outcome.signal},
          {"limit_s", failure->outcome.limit_s},
          {"message", failure->outcome.message},
          {"problem", failure->problem},
          {"folder", failure->folder},
          {"quarantine", failure->quarantine}};
}

std::optional<PointFailure> failure_of(const json& value) {
  if (value.is_null()) return std::nullopt;
  PointFailure failure;
  failure.outcome.kind = run::outcome_named(value.at("outcome")).value_or(run::Outcome::failed);
  value.at("exit_code").get_to(failure.outcome.exit_code);
  value.at("signal").get_to(failure.outcome.signal);
  value.at("limit_s").get_to(failure.outcome.limit_s);
  value.at("message").get_to(failure.outcome.message);
  value.at("problem").get_to(failure.problem);
  value.at("folder").get_to(failure.folder);
  value.at("quarantine").get_to(failure.quarantine);
  return failure;
}

json forecast_json(const std::optional<Forecast>& forecast) {
  if (!forecast) return nullptr;
  return {{"value", forecast->value}, {"low", forecast->low}, {"high", forecast->high}};
}

json result_json(const std::optional<PointResult>& result) {
  if (!result) return nullptr;
  return {{"value", result->value.median},
          {"low", result->value.low},
          {"high", result->value.high},
          {"is_interval", result->value.covers},
          {"wall_s", result->wall_s},
          {"speedup", result->speedup},
          {"efficiency", result->efficiency},
          {"karp_flatt", result->karp_flatt},
          {"efficiencies", factors_json(result->factors)},
          {"loses", result->loses},
          {"core_hours", result->core_hours},
          {"node_bytes", result->node_bytes},
          {"series", result->series},
          {"workload", result->workload}};
}

json bound_json(const std::optional<Bound>& bound) {
  if (!bound) return nullptr;
  return {{"value", bound->value}, {"cpus", bound->cpus}};
}

json parts_json(const std::vector<JobPart>& parts) {
  json array = json::array();
  for (const JobPart& part : parts) {
    array.push_back({{"ranks", part.ranks}, {"threads", part.threads}});
  }
  return array;
}

/// @param done  why it is not run again, perhaps because of a forecast or a bound
json point_json(const SweepPoint& point, const std::optional<PointResult>& result, Done done,
                const Forecasts& forecasts) {
  json runs = json::array();
  for (const PointRun& run : point.runs) runs.push_back(run_json(run));
  return {{"name", point.point.name},
          {"values", values_json(point.point.values)},
          {"ranks", point.point.ranks},
          {"threads", point.point.threads},
          {"parts", parts_json(point.point.parts)},
          {"cores", point.point.cores()},
          {"command", masked_arguments(point.point.command)},
          {"settings", point.point.settings},
          {"left_out", point.point.left_out},
          {"folder", point.folder},
          {"runs", runs},
          {"failure", failure_json(point.failure)},
          {"forecast",
           forecast_json(done == Done::predicted_worse ? forecasts.of(point) : std::nullopt)},
          {"bound", bound_json(done == Done::no_better ? forecasts.bound_of(point) : std::nullopt)},
          {"result", result_json(result)}};
}

/// The values in the order of the grid, which a JSON object does not keep.
Values ordered(const Grid& grid, const json& object) {
  Values values;
  const auto add = [&](const std::string& name) {
    const bool known =
        std::ranges::any_of(values, [&](const auto& value) { return value.first == name; });
    if (!known && object.contains(name))
      values.emplace_back(name, object.at(name).get<std::string>());
  };
  for (const Parameter& parameter : grid.over) add(parameter.name);
  for (const Derived& derived : grid.derived) add(derived.name);
  return values;
}

/// @throws JsonError when numbers of ranks and threads are not those of a job.
void check_ranks(const Point& point) {
  const auto positive = [](int ranks, int threads) { return ranks >= 1 && threads >= 1; };
  const bool valid = positive(point.ranks, point.threads) &&
                     std::ranges::all_of(point.parts, [&](const JobPart& part) {
                       return positive(part.ranks, part.threads);
                     });
  if (!valid || has_too_many_cores(point)) {
    throw JsonError("ranks and threads must be 1 or more, and not too many");
  }
}

SweepPoint point_of(const Grid& grid, const json& value) {
  SweepPoint point;
  value.at("name").get_to(point.point.name);
  point.point.values = ordered(grid, value.at("values"));
  value.at("ranks").get_to(point.point.ranks);
  value.at("threads").get_to(point.point.threads);
  // Sweeps of earlier versions have no parts.
  for (const json& part : value.value("parts", json::array())) {
    point.point.parts.push_back({part.at("ranks").get<int>(), part.at("threads").get<int>()});
  }
  check_ranks(point.point);
  value.at("command").get_to(point.point.command);
  value.at("settings").get_to(point.point.settings);
  value.at("left_out").get_to(point.point.left_out);
  for (const json& run : value.at("runs")) point.runs.push_back(run_of(run));
  for (const PointRun& run : point.runs) {
    if (run.value <= 0) throw JsonError("the value of a run must be above 0");
  }
  point.failure = failure_of(value.at("failure"));
  return point;
}

json fitted_json(const model::FittedValue& value) {
  return {{"value", value.value}, {"low", value.low}, {"high", value.high}};
}

/// The figure of merit by a law, on cores from the fewest to the most of a series.
json curve_json(const Sweep& sweep, const Series& series, const model::ScalingFit& fit) {
  constexpr int kSteps = 24;
  const double first = sweep.points[series.points.front()].point.cores();
  const double last = sweep.points[series.points.back()].point.cores();
  json curve = json::array();
  for (int step = 0; step <= kSteps; ++step) {
    const double p = first * std::pow(last / first, static_cast<double>(step) / kSteps);
    const double time = fit.at(p);
    // Of a rate the fit is that of its inverse, by the cores where the work grows with them.
    const double work = is_weak(sweep.grid) ? p : 1;
    curve.push_back({p, sweep.figure.larger_is_better ? work / time : time});
  }
  return curve;
}

json fit_json(const Sweep& sweep, const Series& series, const model::ScalingFit& fit) {
  return {{"sentence", fit_sentence(fit)},
          {"curve", curve_json(sweep, series, fit)},
          {"law", model::law_name(fit.law)},
          {"one_s", fit.one_s},
          {"serial", fitted_json(fit.serial)},
          {"coherency", fit.coherency ? fitted_json(*fit.coherency) : json(nullptr)},
          {"largest_deviation", fit.largest_deviation},
          {"fastest_p", model::fastest_p(fit)},
          {"half_efficient_p", model::half_efficient_p(fit)}};
}

void add_result(const Sweep& sweep, const SweepResult& result, json& value) {
  value["points"] = json::array();
  const std::vector<Done> done = done_points(sweep);
  const Forecasts forecasts(sweep);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    value["points"].push_back(point_json(sweep.points[i], result.points[i], done[i], forecasts));
  }
  value["series"] = json::array();
  for (const Series& series : result.series) {
    json fits = json::array();
    for (const model::ScalingFit& fit : series.fits) fits.push_back(fit_json(sweep, series, fit));
    value["series"].push_back({{"name", series.name}, {"points", series.points}, {"fits", fits}});
  }
  value["workloads"] = json::array();
  for (const Workload& workload : result.workloads) {
    value["workloads"].push_back({{"name", workload.name},
                                  {"best", workload.best},
                                  {"like_best", workload.like_best},
                                  {"recommended", workload.recommended},
                                  {"gain", workload.gain}});
  }
}

}  // namespace

json sweep_to_json(const Sweep& sweep) {
  const auto kind = std::ranges::find_if(
      kFigures, [&](const auto& each) { return each.first == sweep.figure.kind; });
  json value = {{"schema", kSweepSchema},
                {"schema_version", kSweepVersion},
                {"plait_version", PLAIT_VERSION},
                {"created", sweep.created},
                {"host", sweep.host},
                {"host_cpus", sweep.host_cpus},
                {"state", state_name(sweep.state)},
                {"grid", grid_json(sweep.grid)},
                {"figure",
                 {{"kind", kind->second},
                  {"text", sweep.figure.text},
                  {"unit", sweep.figure.unit},
                  {"larger_is_better", sweep.figure.larger_is_better}}},
                {"limits",
                 {{"repeat", sweep.limits.repeat},
                  {"precision", sweep.limits.precision},
                  {"budget_s", sweep.limits.budget_s},
                  {"time_limit_s", sweep.limits.time_limit_s}}},
                {"mpi", sweep.mpi},
                {"smart", sweep.smart},
                {"spent_s", sweep.spent_s}};
  const SweepResult result = result_of(sweep);
  add_result(sweep, result, value);
  value["verdicts"] = verdicts(sweep, result);
  value["compared"] = figure_sentence(sweep.figure);
  value["parameters"] = json::array();
  if (!sweep.points.empty()) {
    for (const auto& [name, text] : sweep.points.front().point.values) {
      value["parameters"].push_back(name);
    }
  }
  return value;
}

Sweep sweep_from_json(const json& value) {
  Sweep sweep;
  value.at("created").get_to(sweep.created);
  value.at("host").get_to(sweep.host);
  value.at("host_cpus").get_to(sweep.host_cpus);
  for (const SweepState state :
       {SweepState::running, SweepState::finished, SweepState::budget, SweepState::interrupted}) {
    if (value.at("state") == state_name(state)) sweep.state = state;
  }
  sweep.grid = grid_of(value.at("grid"));
  const json& figure = value.at("figure");
  for (const auto& [kind, name] : kFigures) {
    if (figure.at("kind") == name) sweep.figure.kind = kind;
  }
  figure.at("text").get_to(sweep.figure.text);
  figure.at("unit").get_to(sweep.figure.unit);
  figure.at("larger_is_better").get_to(sweep.figure.larger_is_better);
  const json& limits = value.at("limits");
  limits.at("repeat").get_to(sweep.limits.repeat);
  if (sweep.limits.repeat < 1 || sweep.limits.repeat > kMostRepetitions) {
    throw JsonError("repeat must be from 1 to 1000");
  }
  limits.at("precision").get_to(sweep.limits.precision);
  limits.at("budget_s").get_to(sweep.limits.budget_s);
  limits.at("time_limit_s").get_to(sweep.limits.time_limit_s);
  value.at("mpi").get_to(sweep.mpi);
  value.at("smart").get_to(sweep.smart);
  value.at("spent_s").get_to(sweep.spent_s);
  for (const json& point : value.at("points")) {
    sweep.points.push_back(point_of(sweep.grid, point));
    // Not that of the file: what is left in it is removed.
    sweep.points.back().folder = point_folder(sweep.points.size(), sweep.points.back().point.name);
  }
  return sweep;
}

void save_sweep(const std::filesystem::path& folder, const Sweep& sweep) {
  write_json_file(folder / kSweepFile, sweep_to_json(sweep));
}

Sweep load_sweep(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kSweepFile;
  const std::string remedy = "start the sweep again";
  const json value = read_json_file(file, kSweepSchema, kSweepVersion, remedy);
  return convert_json(file, remedy, [&] { return sweep_from_json(value); });
}

bool is_sweep(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / kSweepFile);
}

bool has_masked_secret(const Sweep& sweep) {
  const auto masked = [](const std::vector<std::string>& texts) {
    return std::ranges::any_of(
        texts, [](const std::string& text) { return text.find(kMask) != text.npos; });
  };
  return masked(sweep.grid.command) || masked(sweep.grid.set) ||
         std::ranges::any_of(sweep.points,
                             [&](const SweepPoint& point) { return masked(point.point.command); });
}

}  // namespace plait::sweep
