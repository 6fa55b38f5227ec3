// SPDX-License-Identifier: BSD-3-Clause
// Predictions of the Jacobi solver's speed on the terminal.
#include "report/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/terminal_parts.hpp"
#include "text/counted.hpp"
#include "text/extents.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/style.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

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

/// "5868 MLUP/s (5664 to 5900)".
std::string speed_text(const Interval& mlups) {
  return format_interval(mlups.value * 1e6, mlups.low * 1e6, mlups.high * 1e6,
                         format_updates_per_second);
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
  return fmt::format(" It pays off from {} on.", counted(first.of.nodes, "node"));
}

const JacobiPrediction& largest_of(const PredictionReport& report) {
  return *std::max_element(
      report.predictions.begin(), report.predictions.end(),
      [](const JacobiPrediction& a, const JacobiPrediction& b) { return a.of.nodes < b.of.nodes; });
}

/// "8 nodes", or "8 nodes as 2x2x2" if several arrangements of 8 nodes were requested.
std::string where_text(const PredictionReport& report, const JacobiPrediction& of) {
  const auto alike =
      std::count_if(report.predictions.begin(), report.predictions.end(),
                    [&](const JacobiPrediction& one) { return one.of.nodes == of.of.nodes; });
  return counted(of.of.nodes, "node") + (alike > 1 ? " as " + format_extents(of.of.parts) : "");
}

std::string speed_line(const PredictionReport& report) {
  const auto& points = report.speed.points();
  std::string text =
      fmt::format("P(k) {} on {}", format_updates_per_second(points.front().cells_per_s),
                  counted(points.front().cores, "core"));
  if (points.size() > 1) {
    text += fmt::format(", {} on {}", format_updates_per_second(points.back().cells_per_s),
                        points.back().cores);
  }
  return text +
         fmt::format(" ({}); {} used", report.speed_given ? "given" : "measured", report.cores);
}

std::string link_text(const model::Link& link) {
  const double pair = link.pair_bytes_per_s.value;
  const double several = link.several_bytes_per_s.value;
  std::string text =
      fmt::format("{} latency, {} per direction", format_seconds(link.latency_s.value),
                  format_bytes_per_second(several));
  if (pair != several) text += fmt::format(", {} for one pair", format_bytes_per_second(pair));
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
    lines = wrap("figure " + report.figure + " (Stengel's thesis)");
  }
  for (const std::string& text : {"machine " + name, speed_line(report), network_line(report)}) {
    for (const std::string& line : wrap(printable(text, options.utf8), kTerminalColumns, 2)) {
      lines.push_back(paint(line, Paint::dim, options.color));
    }
  }
  return lines;
}

/// The unit in which the highest speed has at most four digits.
struct SpeedUnit {
  double mlups;
  const char* name;
};

SpeedUnit unit_for(const PredictionReport& report) {
  double highest = 0;
  for (const JacobiPrediction& one : report.predictions) {
    for (const ModePrediction& mode : one.modes) highest = std::max(highest, mode.mlups.high);
  }
  return highest >= 9999.5 ? SpeedUnit{1000, "GLUP/s"} : SpeedUnit{1, "MLUP/s"};
}

/// "task_openmp_upper" in three lines.
std::string title_of(std::string mode) {
  std::replace(mode.begin(), mode.end(), '_', '\n');
  return mode;
}

Lines table_lines(const PredictionReport& report, const TerminalOptions& options) {
  const SpeedUnit unit = unit_for(report);
  constexpr std::size_t kLeft = 3;
  std::vector<Column> columns{number_column("nodes"), number_column("dims"),
                              number_column("max\nneigh-\nbours")};
  for (const ModePrediction& mode : report.predictions[0].modes) {
    columns.push_back(number_column(title_of(name_of(mode.mode, report.cores))));
  }
  Table table(std::move(columns), {0, options.color});
  table.fold_beside(kLeft);
  for (const JacobiPrediction& one : report.predictions) {
    Lines values{std::to_string(one.of.nodes), format_extents(one.of.parts),
                 std::to_string(one.one_rank.max_neighbours)};
    Lines intervals(kLeft);
    bool narrow = true;
    for (const ModePrediction& mode : one.modes) {
      const double low = mode.mlups.low / unit.mlups;
      const double high = mode.mlups.high / unit.mlups;
      values.push_back(format_number(mode.mlups.value / unit.mlups));
      const bool alike = format_number(low) == format_number(high);
      intervals.push_back(alike ? "-" : format_range(low, high, format_number, Ends::close));
      narrow = narrow && alike;
    }
    table.add(std::move(values));
    if (!narrow) table.add(std::move(intervals), Paint::dim);
  }
  Lines lines{fmt::format("{} scaling, {} cells{}: {} of all nodes, interval below",
                          report.strong ? "strong" : "weak", format_extents(report.size),
                          report.strong ? "" : " per node", unit.name)};
  append(lines, table.lines());
  lines.push_back(
      paint("-: the interval is narrower than the last digit", Paint::dim, options.color));
  return lines;
}

/// Runs the solver in the fastest mode of the largest case, to check the prediction.
Lines next_command(const PredictionReport& report) {
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
  const int ranks = largest.of.nodes * (rank_per_core ? report.cores : 1);
  return {fmt::format("OMP_NUM_THREADS={}", threads),
          "mpiexec",
          "-n",
          std::to_string(ranks),
          "plait-jacobi",
          "--size",
          format_extents(grid),
          "--schedule",
          schedule};
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
                       speed_text(only->mlups));
  }
  const double ratio = with->mlups.value / without->mlups.value;
  const std::string figures = fmt::format("{} is predicted to reach {}, {} times the {} of {}",
                                          name(with), speed_text(with->mlups), format_ratio(ratio),
                                          speed_text(without->mlups), name(without));
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
  Lines lines = bold_lines(prediction_verdict(report), 4, options);
  append(lines, input_lines(report, options));
  lines.emplace_back();
  append(lines, table_lines(report, options));
  if (!report.notes.empty()) lines.emplace_back();
  for (const std::string& note : report.notes) {
    append(lines, labelled("note: ", note, 4, options));
  }
  if (report.measured) {
    lines.emplace_back();
    append(lines, measured_lines(*report.measured));
  }
  lines.emplace_back();
  if (report.measured) lines.push_back("Runs: " + printable(report.measured->folder, options.utf8));
  if (!report.result.empty()) lines.push_back("JSON: " + printable(report.result, options.utf8));
  if (!report.page.empty()) lines.push_back("Page: " + printable(report.page, options.utf8));
  append(lines, wrap_command("Next: ", next_command(report)));
  return lines;
}

}  // namespace plait::report
