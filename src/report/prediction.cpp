// SPDX-License-Identifier: BSD-3-Clause
// Predictions of the Jacobi solver's speed on the terminal.
#include "report/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/counted.hpp"
#include "text/style.hpp"
#include "text/terminal.hpp"

namespace plait::report {
namespace {

using model::Interval;
using model::JacobiMode;
using model::JacobiPrediction;
using model::ModePrediction;
using Lines = std::vector<std::string>;

bool is_bound(const ModePrediction& mode) {
  return mode.mode == JacobiMode::task_openmp_upper;
}

bool overlaps(const ModePrediction& mode) {
  return mode.mode == JacobiMode::task_manual || mode.mode == JacobiMode::task_openmp_conserving;
}

/// The fastest mode with that property; nullptr when there is none.
template <class Property>
const ModePrediction* fastest(const JacobiPrediction& of, const Property& has) {
  const ModePrediction* best = nullptr;
  for (const ModePrediction& mode : of.modes) {
    if (has(mode) && (best == nullptr || mode.mlups.value > best->mlups.value)) best = &mode;
  }
  return best;
}

const ModePrediction* fastest_overlapping(const JacobiPrediction& of) {
  return fastest(of, overlaps);
}

const ModePrediction* fastest_summing(const JacobiPrediction& of) {
  return fastest(of, [](const ModePrediction& mode) { return !overlaps(mode) && !is_bound(mode); });
}

/// Three digits at least: "5.87", "58.7", "587", "5868".
std::string short_number(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, value >= 9.995 ? 1 : 2);
}

/// The unit in which the highest speed has at most four digits.
struct SpeedUnit {
  double mlups;
  const char* name;
};
SpeedUnit unit_for(double highest_mlups) {
  return highest_mlups >= 9999.5 ? SpeedUnit{1000, "GLUP/s"} : SpeedUnit{1, "MLUP/s"};
}

/// "5868 MLUP/s (5664 to 5900)".
std::string speed_text(const Interval& mlups, const SpeedUnit& unit) {
  const std::string low = short_number(mlups.low / unit.mlups);
  const std::string high = short_number(mlups.high / unit.mlups);
  const std::string text = fmt::format("{} {}", short_number(mlups.value / unit.mlups), unit.name);
  return low == high ? text : fmt::format("{} ({} to {})", text, low, high);
}

std::string nodes_text(int nodes) {
  return nodes == 1 ? "one node" : fmt::format("{} nodes", nodes);
}

bool overlap_pays(const JacobiPrediction& of) {
  const ModePrediction* const with = fastest_overlapping(of);
  const ModePrediction* const without = fastest_summing(of);
  return with != nullptr && without != nullptr && with->mlups.low > without->mlups.high;
}

/// " It pays from 2 nodes on."; empty unless it pays on all listed numbers of nodes from one on,
/// but not on the first.
std::string pays_from(const std::vector<JacobiPrediction>& predictions) {
  std::vector<const JacobiPrediction*> rising;
  for (const JacobiPrediction& one : predictions) rising.push_back(&one);
  std::stable_sort(rising.begin(), rising.end(),
                   [](const auto* a, const auto* b) { return a->of.nodes < b->of.nodes; });
  const auto last_loss = std::find_if_not(rising.rbegin(), rising.rend(),
                                          [](const auto* one) { return overlap_pays(*one); });
  if (last_loss == rising.rbegin() || last_loss == rising.rend()) return "";
  const JacobiPrediction& first = **last_loss.base();
  if (&first == rising.back()) return "";
  return fmt::format(" It pays off from {} on.", nodes_text(first.of.nodes));
}

const JacobiPrediction& largest_of(const PredictionReport& report) {
  return *std::max_element(
      report.predictions.begin(), report.predictions.end(),
      [](const JacobiPrediction& a, const JacobiPrediction& b) { return a.of.nodes < b.of.nodes; });
}

std::string extents_text(const model::Extents& extents) {
  return fmt::format("{}x{}x{}", extents[0], extents[1], extents[2]);
}

/// "8 nodes", or "8 nodes as 2x2x2" if several arrangements of 8 nodes were requested.
std::string where_text(const PredictionReport& report, const JacobiPrediction& of) {
  const auto alike =
      std::count_if(report.predictions.begin(), report.predictions.end(),
                    [&](const JacobiPrediction& one) { return one.of.nodes == of.of.nodes; });
  return nodes_text(of.of.nodes) + (alike > 1 ? " as " + extents_text(of.of.parts) : "");
}

std::string speed_line(const PredictionReport& report) {
  const auto& points = report.speed.points();
  const int first = points.front().cores;
  std::string text =
      fmt::format("P(k) {} MLUP/s on {}", short_number(points.front().cells_per_s / 1e6),
                  counted(first, "core"));
  if (points.size() > 1) {
    text += fmt::format(", {} on {}", short_number(points.back().cells_per_s / 1e6),
                        points.back().cores);
  }
  return text +
         fmt::format(" ({}); {} used", report.speed_given ? "given" : "measured", report.cores);
}

std::string link_text(const model::Link& link) {
  const double pair = link.pair_bytes_per_s.value / 1e6;
  const double several = link.several_bytes_per_s.value / 1e6;
  std::string text = fmt::format("{} latency, {} MB/s per direction",
                                 format_seconds(link.latency_s.value), short_number(several));
  if (pair != several) text += fmt::format(", {} for one pair", short_number(pair));
  return text;
}

/// The network of the last case that needs it (bandwidth depends on the message size).
std::string network_line(const PredictionReport& report) {
  for (auto at = report.predictions.rbegin(); at != report.predictions.rend(); ++at) {
    if (!at->network || at->one_rank.messages == 0) continue;
    return fmt::format("network {} ({})", link_text(*at->network),
                       report.network_given ? "given" : "measured");
  }
  return "no network on one node";
}

Lines input_lines(const PredictionReport& report, const TerminalOptions& options) {
  const machine::MachineFile& machine = report.machine;
  std::string name = machine.host;
  if (!machine.cpu_model.empty()) name += ", " + machine.cpu_model;
  if (machine.measured && !machine.measured->source.empty()) {
    name += "; results from " + machine.measured->source;
  }
  Lines lines;
  if (!report.figure.empty()) {
    lines = wrap("figure " + report.figure + " (Stengel's thesis)", kTerminalColumns, 2);
  }
  for (const std::string& text : {"machine " + name, speed_line(report), network_line(report)}) {
    for (const std::string& line : wrap(printable(text, options.utf8), kTerminalColumns, 2)) {
      lines.push_back(paint(line, Paint::dim, options.color));
    }
  }
  return lines;
}

/// One column of the table: a mode's header in three lines and its cells.
struct Column {
  Lines header;
  Lines values;
  Lines intervals;
  std::size_t width = 0;
};

/// Splits "task_openmp_upper" into three lines; leading lines may be empty.
Lines header_of(const std::string& name) {
  Lines parts;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('_', at), name.size());
    parts.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  while (parts.size() < 3) parts.insert(parts.begin(), "");
  return parts;
}

Column column_of(const PredictionReport& report, std::size_t mode, const SpeedUnit& unit) {
  Column column;
  column.header = header_of(name_of(report.predictions[0].modes[mode].mode, report.cores));
  for (const JacobiPrediction& prediction : report.predictions) {
    const Interval& mlups = prediction.modes[mode].mlups;
    column.values.push_back(short_number(mlups.value / unit.mlups));
    const std::string low = short_number(mlups.low / unit.mlups);
    const std::string high = short_number(mlups.high / unit.mlups);
    column.intervals.push_back(low == high ? "-" : low + "-" + high);
  }
  for (const Lines* cells : {&column.header, &column.values, &column.intervals}) {
    for (const std::string& cell : *cells) column.width = std::max(column.width, cell.size() + 1);
  }
  return column;
}

/// The leftmost column: nodes, their arrangement, neighbours.
Column left_of(const PredictionReport& report) {
  std::size_t nodes_width = 5;
  std::size_t dims_width = 5;
  for (const JacobiPrediction& one : report.predictions) {
    nodes_width = std::max(nodes_width, std::to_string(one.of.nodes).size());
    dims_width = std::max(dims_width, extents_text(one.of.parts).size());
  }
  const auto row = [&](const std::string& nodes, const std::string& dims, const std::string& most) {
    return pad(nodes, nodes_width, true) + pad(dims, dims_width + 1, true) + pad(most, 7, true);
  };
  Column left;
  left.header = {row("", "", "max"), row("", "", "neigh-"), row("nodes", "dims", "bours")};
  for (const JacobiPrediction& one : report.predictions) {
    left.values.push_back(row(std::to_string(one.of.nodes), extents_text(one.of.parts),
                              std::to_string(one.one_rank.max_neighbours)));
    left.intervals.emplace_back();
  }
  left.width = left.header[0].size();
  return left;
}

/// The end of the columns from `first` on that fit beside the left one; at least one.
std::size_t fitting(const std::vector<Column>& columns, std::size_t first, std::size_t left) {
  std::size_t width = left;
  std::size_t end = first;
  while (end < columns.size() && (end == first || width + columns[end].width <= kTerminalColumns)) {
    width += columns[end++].width;
  }
  return end;
}

Lines table_lines(const PredictionReport& report, const TerminalOptions& options) {
  double highest = 0;
  for (const JacobiPrediction& one : report.predictions) {
    for (const ModePrediction& mode : one.modes) highest = std::max(highest, mode.mlups.high);
  }
  const SpeedUnit unit = unit_for(highest);
  const Column left = left_of(report);
  std::vector<Column> columns;
  for (std::size_t mode = 0; mode < report.predictions[0].modes.size(); ++mode) {
    columns.push_back(column_of(report, mode, unit));
  }
  Lines lines{fmt::format("{} scaling, {} cells{}: {} of all nodes, interval below",
                          report.strong ? "strong" : "weak", extents_text(report.size),
                          report.strong ? "" : " per node", unit.name)};
  for (std::size_t first = 0; first < columns.size();) {
    const std::size_t end = fitting(columns, first, left.width);
    const auto add = [&](const std::string& start, Paint with, const auto& cell) {
      std::string line = pad(start, left.width);
      for (std::size_t at = first; at < end; ++at) {
        line += pad(cell(columns[at]), columns[at].width, true);
      }
      line.resize(line.find_last_not_of(' ') + 1);
      lines.push_back(paint(line, with, options.color));
    };
    for (std::size_t i = 0; i < 3; ++i) {
      add(left.header[i], Paint::dim, [i](const Column& of) { return of.header[i]; });
    }
    for (std::size_t i = 0; i < left.values.size(); ++i) {
      add(left.values[i], Paint::none, [i](const Column& of) { return of.values[i]; });
      const bool none = std::all_of(columns.begin() + static_cast<std::ptrdiff_t>(first),
                                    columns.begin() + static_cast<std::ptrdiff_t>(end),
                                    [i](const Column& of) { return of.intervals[i] == "-"; });
      if (!none) add("", Paint::dim, [i](const Column& of) { return of.intervals[i]; });
    }
    first = end;
  }
  lines.push_back(
      paint("-: the interval is narrower than the last digit", Paint::dim, options.color));
  return lines;
}

/// Runs the solver in the fastest mode of the largest case, to check the prediction.
std::string next_command(const PredictionReport& report) {
  const JacobiPrediction& largest = largest_of(report);
  const ModePrediction* best =
      fastest(largest, [](const ModePrediction& mode) { return !is_bound(mode); });
  if (best == nullptr) best = &largest.modes.front();
  const bool rank_per_core = best->mode == JacobiMode::mpi_all;
  const int threads = rank_per_core || best->mode == JacobiMode::mpi_one ? 1 : report.cores;
  model::Extents grid = report.size;
  for (std::size_t axis = 0; axis < 3 && !report.strong; ++axis) {
    grid[axis] *= largest.of.parts[axis];
  }
  const char* schedule = best->mode == JacobiMode::task_manual         ? "comm_thread"
                         : best->mode >= JacobiMode::task_openmp_upper ? "tasks"
                                                                       : "blocking";
  return fmt::format("OMP_NUM_THREADS={} mpiexec -n {} plait-jacobi --size {} --schedule {}",
                     threads, largest.of.nodes * (rank_per_core ? report.cores : 1),
                     extents_text(grid), schedule);
}

}  // namespace

std::string prediction_verdict(const PredictionReport& report) {
  const JacobiPrediction* const largest = &largest_of(report);
  const ModePrediction* const with = fastest_overlapping(*largest);
  const ModePrediction* const without = fastest_summing(*largest);
  const std::string where = where_text(report, *largest);
  const auto name = [&](const ModePrediction* mode) { return name_of(mode->mode, report.cores); };
  if (with == nullptr || without == nullptr) {
    const ModePrediction* only = with != nullptr ? with : without;
    if (only == nullptr) only = &largest->modes.front();
    return fmt::format("On {}, {} {} {}.", where, name(only),
                       is_bound(*only) ? "cannot exceed" : "is predicted to reach",
                       speed_text(only->mlups, unit_for(only->mlups.high)));
  }
  const double ratio = with->mlups.value / without->mlups.value;
  const SpeedUnit unit = unit_for(std::max(with->mlups.high, without->mlups.high));
  const std::string figures = fmt::format("{} is predicted to reach {}, {:.2f} times the {} of {}",
                                          name(with), speed_text(with->mlups, unit), ratio,
                                          speed_text(without->mlups, unit), name(without));
  if (overlap_pays(*largest)) {
    return fmt::format("On {}, overlap pays off: {}.{}", where, figures,
                       pays_from(report.predictions));
  }
  if (with->mlups.high <= without->mlups.low) {
    return fmt::format("On {}, overlap does not pay off: {}.", where, figures);
  }
  return fmt::format("On {}, it is uncertain whether overlap pays off: {}.", where, figures);
}

Lines prediction_lines(const PredictionReport& report, const TerminalOptions& options) {
  Lines lines = wrap(printable(prediction_verdict(report), options.utf8), kTerminalColumns, 4);
  for (std::string& line : lines) line = paint(line, Paint::bold, options.color);
  const auto append = [&lines](const Lines& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  append(input_lines(report, options));
  lines.emplace_back();
  append(table_lines(report, options));
  if (!report.notes.empty()) lines.emplace_back();
  for (const std::string& note : report.notes) {
    append(wrap(printable("note: " + note, options.utf8), kTerminalColumns, 4));
  }
  if (report.measured) {
    lines.emplace_back();
    append(measured_lines(*report.measured));
  }
  lines.emplace_back();
  if (report.measured) lines.push_back("Runs: " + printable(report.measured->folder, options.utf8));
  if (!report.result.empty()) lines.push_back("JSON: " + printable(report.result, options.utf8));
  if (!report.page.empty()) lines.push_back("Page: " + printable(report.page, options.utf8));
  append(wrap("Next: " + next_command(report), kTerminalColumns, 2));
  return lines;
}

}  // namespace plait::report
