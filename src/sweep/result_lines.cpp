// SPDX-License-Identifier: BSD-3-Clause
// The result of a sweep as text: the point to use, tables, fitted laws, failures, the next command.
#include "sweep/result_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/secrets.hpp"
#include "base/shell_word.hpp"
#include "sweep/forecast.hpp"
#include "sweep/plan_lines.hpp"
#include "sweep/schedule.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::sweep {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* kNone = "-";

void append(const Lines& more, Lines& lines) {
  lines.insert(lines.end(), more.begin(), more.end());
}

std::string percent_or_none(const std::optional<double>& fraction) {
  return fraction ? format_percent(*fraction) : kNone;
}

std::string interval_text(const Figure& figure, const MedianInterval& value, Ends ends) {
  return format_range(value_text(figure, value.low), value_text(figure, value.high), ends);
}

/// A median with its interval, or with its range if there are too few runs.
std::string whole_text(const Figure& figure, const MedianInterval& value) {
  return format_interval(value_text(figure, value.median), value_text(figure, value.low),
                         value_text(figure, value.high));
}

/// Parameters with several values.
std::vector<const Parameter*> varied(const Grid& grid) {
  std::vector<const Parameter*> all;
  for (const Parameter& parameter : grid.over) {
    if (parameter.values.size() > 1) all.push_back(&parameter);
  }
  return all;
}

bool is_best(const SweepResult& result, std::size_t index) {
  return std::ranges::any_of(result.workloads,
                             [&](const Workload& workload) { return workload.best == index; });
}

/// The point with two values; null: there is none.
const std::size_t* find_point(const std::vector<std::pair<Values, std::size_t>>& points,
                              const Values& values) {
  for (const auto& point : points) {
    const Values& of = point.first;
    const bool same = std::ranges::all_of(
        values, [&](const auto& value) { return std::ranges::find(of, value) != of.end(); });
    if (same) return &point.second;
  }
  return nullptr;
}

std::string cell_text(const Sweep& sweep, const SweepResult& result, std::size_t index) {
  const SweepPoint& point = sweep.points[index];
  if (point.failure) return run::outcome_name(point.failure->outcome.kind) + " ";
  if (!result.points[index]) return "- ";
  return value_text(sweep.figure, result.points[index]->value.median) +
         (is_best(result, index) ? "*" : " ");
}

/// Two parameters as rows and columns.
void add_matrix(const Sweep& sweep, const SweepResult& result, Lines& lines) {
  const std::vector<const Parameter*> both = varied(sweep.grid);
  constexpr std::size_t kMostCells = 1000;
  if (both.size() != 2 || both[0]->values.size() * both[1]->values.size() > kMostCells) return;
  std::vector<std::pair<Values, std::size_t>> points;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    points.emplace_back(sweep.points[i].point.values, i);
  }
  std::vector<Column> columns{text_column(both[0]->name + " \\ " + both[1]->name)};
  for (const std::string& value : both[1]->values) columns.push_back(number_column(value + " "));
  Table table(columns);
  for (const std::string& row : both[0]->values) {
    std::vector<std::string> cells{row};
    for (const std::string& column : both[1]->values) {
      const std::size_t* const index =
          find_point(points, {{both[0]->name, row}, {both[1]->name, column}});
      cells.push_back(index == nullptr ? "" : cell_text(sweep, result, *index));
    }
    table.add(cells);
  }
  table.fold_beside(1);
  lines.emplace_back();
  lines.push_back(fmt::format("{} by {} and {} (* best)", figure_sentence(sweep.figure),
                              both[0]->name, both[1]->name));
  append(table.lines(), lines);
}

/// True if one of the measured points has something to show.
bool any(const SweepResult& result, bool (*has)(const PointResult& point)) {
  return std::ranges::any_of(result.points,
                             [&](const auto& point) { return point && has(*point); });
}

bool any_scaled(const SweepResult& result) {
  return any(result, [](const PointResult& point) { return point.speedup.has_value(); });
}

/// The columns of the table beside the parameters; those without content are left out.
struct Columns {
  bool cores, wall, scaled, factor, memory;

  Columns(const Sweep& sweep, const SweepResult& result)
      : cores(!sweep.grid.core_parameters.empty()),
        wall(sweep.figure.kind != FigureKind::wall),
        scaled(any_scaled(result)),
        factor(any(result, [](const PointResult& point) { return !point.loses.empty(); })),
        memory(any(result, [](const PointResult& point) { return point.node_bytes.has_value(); })) {
  }

  [[nodiscard]] std::vector<Column> titles(bool covered) const {
    std::vector<Column> columns;
    if (cores) columns.push_back(number_column("cores"));
    for (const char* title : {"runs", "median", covered ? "95 % interval" : "range"}) {
      columns.push_back(number_column(title));
    }
    if (wall) columns.push_back(number_column("wall"));
    if (scaled) {
      for (const char* title : {"speed-up", "eff.", "serial"}) {
        columns.push_back(number_column(title));
      }
    }
    if (factor) columns.push_back(text_column("lowest factor"));
    columns.push_back(number_column("core time"));
    if (memory) columns.push_back(number_column("memory"));
    return columns;
  }

  void add(const Figure& figure, const SweepPoint& point, const PointResult& of,
           Lines& cells) const {
    constexpr double kSecondsOfHour = 3600;
    if (cores) cells.push_back(std::to_string(point.point.cores()));
    cells.push_back(std::to_string(point.runs.size()));
    cells.push_back(value_text(figure, of.value.median));
    cells.push_back(interval_text(figure, of.value, Ends::close));
    if (wall) cells.push_back(format_seconds(of.wall_s));
    if (scaled) {
      cells.push_back(of.speedup ? format_ratio(*of.speedup) : kNone);
      cells.push_back(percent_or_none(of.efficiency));
      cells.push_back(percent_or_none(of.karp_flatt));
    }
    if (factor) cells.push_back(of.loses.empty() ? kNone : of.loses);
    cells.push_back(format_seconds(of.core_hours * kSecondsOfHour));
    if (memory) cells.push_back(of.node_bytes ? format_bytes(*of.node_bytes) : kNone);
  }
};

void add_table(const Sweep& sweep, const SweepResult& result, Lines& lines) {
  const Columns shown(sweep, result);
  std::vector<Column> columns;
  for (const auto& [name, value] : sweep.points.front().point.values) {
    columns.push_back(number_column(name));
  }
  const std::size_t parameters = columns.size();
  for (const Column& column :
       shown.titles(!any(result, [](const PointResult& of) { return !of.value.covers; }))) {
    columns.push_back(column);
  }
  Table table(columns);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if (!result.points[i]) continue;
    Lines cells;
    for (const auto& [name, value] : sweep.points[i].point.values) cells.push_back(value);
    shown.add(sweep.figure, sweep.points[i], *result.points[i], cells);
    table.add(cells);
  }
  table.fold_beside(parameters);
  lines.emplace_back();
  append(table.lines(), lines);
}

void add_fits(const SweepResult& result, Lines& lines) {
  bool first = true;
  for (const Series& series : result.series) {
    for (const model::ScalingFit& fit : series.fits) {
      if (std::exchange(first, false)) lines.emplace_back();
      const std::string where = series.name.empty() ? "" : " (" + series.name + ")";
      append(wrap_beside(fmt::format("{}{}: ", model::law_name(fit.law), where), fit_sentence(fit)),
             lines);
    }
  }
}

void add_failures(const Sweep& sweep, const std::string& folder, Lines& lines) {
  for (const SweepPoint& point : sweep.points) {
    if (!point.failure) continue;
    std::string text = point.failure->problem;
    if (text.ends_with('.')) text.pop_back();
    if (point.failure->outcome.kind == run::Outcome::hung && !sweep.limits.time_limit_s) {
      text += "; if it is only slow, pass --time-limit";
    }
    if (!point.failure->folder.empty()) {
      text += fmt::format("; output: {}/{}", folder, point.failure->folder);
    }
    append(wrap_beside(fmt::format("failed: {}: ", point.point.name), text, kTerminalColumns,
                       kAllLines, TooWide::whole),
           lines);
  }
}

void add_disturbance(const Sweep& sweep, Lines& lines) {
  std::size_t disturbed = 0;
  std::size_t all = 0;
  for (const SweepPoint& point : sweep.points) {
    for (const PointRun& run : point.runs) {
      ++all;
      if (is_disturbed(sweep, run)) ++disturbed;
    }
  }
  if (disturbed == 0) return;
  append(wrap_beside("note: ", fmt::format("other programs used the CPUs in {} of {}", disturbed,
                                           counted(all, "run"))),
         lines);
}

/// Points that did not run because of their prediction.
void add_forecasts(const Sweep& sweep, const std::vector<Done>& done, Lines& lines) {
  const Forecasts forecasts(sweep);
  for (std::size_t i = 0; i < done.size(); ++i) {
    const Point& point = sweep.points[i].point;
    std::string why;
    if (done[i] == Done::predicted_worse) {
      const Forecast forecast = *forecasts.of(sweep.points[i]);
      const MedianInterval value{forecast.value, forecast.low, forecast.high, true};
      why = "predicted " + whole_text(sweep.figure, value) + ", worse than the best";
    } else if (done[i] == Done::no_better) {
      const Bound bound = *forecasts.bound_of(sweep.points[i]);
      why = fmt::format("at best {}, because its {} threads share {:.0f} CPUs",
                        value_text(sweep.figure, bound.value), point.cores(), bound.cpus);
    } else {
      continue;
    }
    append(wrap_beside(fmt::format("left out: {}: ", point.name), why), lines);
  }
}

/// True if the recommended point has the most cores of its series: more might be faster still.
bool at_the_edge(const Sweep& sweep, const SweepResult& result, std::size_t index) {
  const Series& series = result.series[result.points[index]->series];
  const int most = sweep.points[series.points.back()].point.cores();
  return any_scaled(result) && sweep.points[index].point.cores() == most && most < sweep.host_cpus;
}

void add_next(const Sweep& sweep, const SweepResult& result, const std::string& folder,
              Lines& lines) {
  if (sweep.state == SweepState::budget || sweep.state == SweepState::interrupted) {
    lines.push_back(fmt::format("Next: plait sweep --resume {}{}", shell_word(folder),
                                sweep.state == SweepState::budget ? " --budget TIME" : ""));
    return;
  }
  if (result.workloads.empty()) return;
  const std::size_t index = result.workloads.back().recommended;
  if (at_the_edge(sweep, result, index)) {
    append(wrap_beside("note: ",
                       "the point to use has the most cores of the sweep: more may be "
                       "faster"),
           lines);
  }
  lines.push_back(fmt::format("Open a point: plait report {}/{}", shell_word(folder),
                              sweep.points[index].runs.front().folder));
  Lines arguments;
  for (const std::string& argument : masked_arguments(sweep.points[index].point.command)) {
    arguments.push_back(shell_word(argument));
  }
  append(wrap_command("Next: ", arguments), lines);
}

}  // namespace

std::string value_text(const Figure& figure, double value) {
  if (figure.is_time()) return format_seconds(value);
  return format_number(value) + (figure.unit.empty() ? "" : " " + figure.unit);
}

std::string fit_sentence(const model::ScalingFit& fit) {
  const auto fitted = [](const model::FittedValue& value) {
    if (!value.low || !value.high)
      return format_percent(value.value) + " (too few points for an interval)";
    return format_interval(value.value, *value.low, *value.high, format_percent);
  };
  std::string text =
      fmt::format("{} {}", fit.coherency ? "contention" : "serial fraction", fitted(fit.serial));
  if (fit.coherency) text += fmt::format(", coherency {}", fitted(*fit.coherency));
  if (const auto p = model::fastest_p(fit); p && *p < kMostCores) {
    text += "; fastest on " + counted(std::llround(*p), "core");
  }
  if (const auto p = model::half_efficient_p(fit); p && *p < kMostCores) {
    text += fmt::format("; efficiency below 50 % from {} on",
                        counted(std::llround(std::ceil(*p)), "core"));
  }
  return text + fmt::format("; within {} of the medians", format_percent(fit.largest_deviation));
}

Lines verdicts(const Sweep& sweep, const SweepResult& result) {
  Lines sentences;
  for (const Workload& workload : result.workloads) {
    const SweepPoint& best = sweep.points[workload.best];
    std::string text = workload.name.empty() ? "" : workload.name + ": ";
    text +=
        fmt::format("{} is best: {}", best.point.name.empty() ? "the only point" : best.point.name,
                    whole_text(sweep.figure, result.points[workload.best]->value));
    if (workload.gain) {
      text +=
          fmt::format(", {} times as good as on the fewest cores", format_ratio(*workload.gain));
    }
    text += '.';
    if (workload.recommended != workload.best) {
      text += fmt::format(" {} is not clearly worse, and needs {}.",
                          sweep.points[workload.recommended].point.name,
                          counted(sweep.points[workload.recommended].point.cores(), "core"));
    } else if (workload.like_best.size() > 1) {
      text += fmt::format(" {} not clearly worse.", counted(workload.like_best.size() - 1,
                                                            "other point is", "other points are"));
    }
    sentences.push_back(text);
  }
  return sentences;
}

Lines result_lines(const Sweep& sweep, const SweepResult& result, const std::string& folder) {
  Lines lines;
  for (const std::string& sentence : verdicts(sweep, result)) append(wrap(sentence), lines);
  if (result.workloads.empty()) {
    lines.emplace_back("No point was measured.");
  } else {
    add_matrix(sweep, result, lines);
    add_table(sweep, result, lines);
    add_fits(result, lines);
  }
  lines.emplace_back();
  add_failures(sweep, folder, lines);
  add_disturbance(sweep, lines);
  const std::vector<Done> done = done_points(sweep);
  add_forecasts(sweep, done, lines);
  const auto lost = std::ranges::count(done, Done::worse);
  if (lost > 0) {
    lines.push_back(fmt::format("{} worse than the best, and not repeated",
                                counted(lost, "point was", "points were")));
  }
  const auto unmeasured = rest_of(sweep).unmeasured;
  if (unmeasured > 0) {
    lines.push_back(
        fmt::format("{} not measured", counted(unmeasured, "point was", "points were")));
  }
  lines.push_back("Sweep: " + folder);
  add_next(sweep, result, folder, lines);
  return lines;
}

}  // namespace plait::sweep
