// SPDX-License-Identifier: BSD-3-Clause
// The times of CG and HPL in three models: pure MPI, and hybrid without and with overlap.
#include "report/hybrid_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "machine/machine_file.hpp"
#include "text/counted.hpp"
#include "text/extents.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::report {
namespace {

using model::ModelTime;
using nlohmann::json;

struct Named {
  const char* name;
  const ModelTime* time;
  model::Grid grid;
  double measured_s;
};

std::array<Named, 3> models_of(const HybridRow& row) {
  const MeasuredHybrid measured = row.measured.value_or(MeasuredHybrid{});
  return {Named{"MPI", &row.time.mpi, row.of.mpi, measured.mpi_s},
          Named{"PC", &row.time.pc, row.of.hybrid, measured.pc_s},
          Named{"TC", &row.time.tc, row.of.hybrid, measured.tc_s}};
}

std::string grid_text(const model::Grid& grid) {
  return format_extents(std::array{grid.rows, grid.columns});
}

std::string nodes_text(const HybridRow& row) {
  return format_extents(std::array{row.of.nodes, row.of.cores});
}

std::string ratio_or_dash(double ratio) {
  return ratio > 0 ? format_ratio(ratio) : "-";
}

double ratio(const ModelTime& slow, const ModelTime& fast) {
  return slow.total.s / fast.total.s;
}

bool several_sizes(const HybridReport& report) {
  return std::ranges::any_of(
      report.rows, [&](const HybridRow& row) { return row.size != report.rows.front().size; });
}

/// The parts of each model's time, for the cases of one part of a study.
std::vector<std::string> time_table(const HybridReport& report, const std::string& part) {
  const bool sizes = several_sizes(report);
  std::vector<Column> columns{number_column("nodes\nx cores")};
  if (sizes) columns.push_back(number_column("N"));
  for (const char* title : {"model", "grid"}) columns.push_back(text_column(title));
  const bool measured = !report.measured_on.empty();
  for (const char* title : {"time", "interval", "compute", "in\nthe node", "between\nnodes",
                            measured ? "measured" : "overlap"}) {
    columns.push_back(number_column(title));
  }
  Table table(std::move(columns));
  for (const HybridRow& row : report.rows) {
    if (row.part != part) continue;
    bool first = true;
    for (const Named& of : models_of(row)) {
      std::vector<std::string> cells{first ? nodes_text(row) : ""};
      if (sizes) cells.push_back(first ? std::to_string(row.size) : "");
      first = false;
      const ModelTime& time = *of.time;
      cells.insert(cells.end(),
                   {of.name, grid_text(of.grid), format_seconds(time.total.s),
                    format_range(time.total.low_s, time.total.high_s, format_seconds, Ends::close),
                    format_seconds(time.compute_s + time.outside_s), format_seconds(time.inside_s),
                    format_seconds(time.communicate_s),
                    !measured           ? format_seconds(time.overlap_s)
                    : of.measured_s > 0 ? format_seconds(of.measured_s)
                                        : "-"});
      table.add(std::move(cells));
    }
  }
  return table.lines();
}

/// PC / TC and so on: predicted, measured if they were, and the paper's.
std::vector<std::string> ratio_cells(const HybridRow& row, bool measured) {
  const PaperResult paper = row.paper.value_or(PaperResult{});
  const MeasuredHybrid here = row.measured.value_or(MeasuredHybrid{});
  const model::HybridPrediction& time = row.time;
  std::vector<std::string> cells;
  const auto add = [&](double predicted, double slow_s, double fast_s, double of_paper) {
    cells.push_back(format_ratio(predicted));
    if (measured) cells.push_back(ratio_or_dash(fast_s > 0 ? slow_s / fast_s : 0));
    cells.push_back(ratio_or_dash(of_paper));
  };
  add(ratio(time.pc, time.tc), here.pc_s, here.tc_s, paper.tc_s > 0 ? paper.pc_s / paper.tc_s : 0);
  add(ratio(time.mpi, time.pc), here.mpi_s, here.pc_s, paper.mpi_over_pc);
  add(ratio(time.mpi, time.tc), here.mpi_s, here.tc_s, paper.mpi_over_tc);
  return cells;
}

std::vector<std::string> ratio_titles(bool measured) {
  std::vector<std::string> titles;
  for (const char* ratio : {"PC/TC", "MPI/PC", "MPI/TC"}) {
    titles.push_back(fmt::format("{}\n{}", ratio, measured ? "model" : "here"));
    if (measured) titles.emplace_back("\nhere");
    titles.emplace_back("\npaper");
  }
  return titles;
}

/// Ratios or differences of the models beside the paper's, for the cases of one part of a study.
std::vector<std::string> paper_table(const HybridReport& report, const std::string& part) {
  const bool sizes = several_sizes(report);
  std::vector<Column> columns{number_column("nodes\nx cores")};
  if (sizes) columns.push_back(number_column("N"));
  const auto titles =
      report.differences
          ? std::vector<std::string>{"PC - TC\nhere", "\npaper", "MPI - PC\nhere", "MPI - TC\nhere"}
          : ratio_titles(!report.measured_on.empty());
  for (const std::string& title : titles) columns.push_back(number_column(title));
  Table table(std::move(columns));
  for (const HybridRow& row : report.rows) {
    if (row.part != part) continue;
    const PaperResult paper = row.paper.value_or(PaperResult{});
    const model::HybridPrediction& time = row.time;
    std::vector<std::string> cells{nodes_text(row)};
    if (sizes) cells.push_back(std::to_string(row.size));
    if (report.differences) {
      const auto difference = [](const ModelTime& a, const ModelTime& b) {
        return format_change_of_seconds(a.total.s - b.total.s);
      };
      const bool known = paper.pc_s > 0;
      cells.insert(cells.end(), {difference(time.pc, time.tc),
                                 known ? format_change_of_seconds(paper.pc_s - paper.tc_s) : "-",
                                 difference(time.mpi, time.pc), difference(time.mpi, time.tc)});
    } else {
      const std::vector<std::string> ratios = ratio_cells(row, !report.measured_on.empty());
      cells.insert(cells.end(), ratios.begin(), ratios.end());
    }
    table.add(std::move(cells));
  }
  return table.lines();
}

/// Equation 7 beside what was measured, and beside table 4 (a) of the paper.
std::vector<std::string> equation_lines(const HybridReport& report) {
  Table table({number_column("nodes\nx cores"), number_column("T_m\nof PC"),
               number_column("P(n-1)\n/ P(n)"), number_column("PC - TC\nby equation 7"),
               number_column("\nmeasured"), number_column("\npaper")});
  bool any = false;
  for (const HybridRow& row : report.rows) {
    if (!row.measured || row.measured->pc_messages_s <= 0) continue;
    any = true;
    const ExpectedGain gain = equation_7(row);
    const PaperResult paper = row.paper.value_or(PaperResult{});
    table.add({nodes_text(row), format_seconds(row.measured->pc_messages_s),
               format_percent(row.speed_beside),
               gain.low_s < gain.high_s
                   ? format_range(gain.low_s, gain.high_s, format_seconds, Ends::close)
                   : format_change_of_seconds(gain.high_s),
               format_change_of_seconds(row.measured->pc_s - row.measured->tc_s),
               paper.pc_s > 0 ? format_change_of_seconds(paper.pc_s - paper.tc_s) : "-"});
  }
  if (!any) return {};
  std::vector<std::string> lines{"", "equation 7 with the measured times"};
  const std::vector<std::string> rows = table.lines();
  lines.insert(lines.end(), rows.begin(), rows.end());
  return lines;
}

/// The tables of each part of the study.
std::vector<std::string> study_lines(const HybridReport& report) {
  std::vector<std::string> lines;
  std::string last;
  for (const HybridRow& row : report.rows) {
    if (row.part == last) continue;
    last = row.part;
    lines.emplace_back();
    lines.push_back(row.part);
    for (const auto& table : {time_table(report, row.part), paper_table(report, row.part)}) {
      lines.insert(lines.end(), table.begin(), table.end());
    }
  }
  return lines;
}

std::string factors_of(const HybridRow& row) {
  const ModelTime& mpi = row.time.mpi;
  const model::ThreeBandwidths& rates = row.bandwidths;
  std::string text = " Why pure MPI differs from PC: ";
  if (rates.inside > 0 && rates.mpi > 0) {
    text += fmt::format(
        "messages in a node have {} times the network's bandwidth and take {} of "
        "MPI's time (factors 1 and 2); ",
        format_ratio(rates.inside / rates.mpi), format_percent(mpi.inside_s / mpi.total.s));
  }
  if (rates.mpi > 0) {
    text += fmt::format("one channel reaches {} of a node's bandwidth (3); ",
                        format_percent(rates.hybrid / rates.mpi));
  }
  return text + fmt::format("a node sends {} times the volume of PC, over {} (4).",
                            format_ratio(row.of.hybrid_volume.node.numerator() == 0
                                             ? 1
                                             : row.of.mpi_volume.node.value() /
                                                   row.of.hybrid_volume.node.value()),
                            counted(std::max(1, row.of.mpi_volume.channels), "channel"));
}

json time_json(const ModelTime& of, const model::Grid& grid, const model::Volume& sent) {
  return {{"rows", grid.rows},
          {"columns", grid.columns},
          {"node_volume", sent.node.value()},
          {"channels", sent.channels},
          {"time_s", of.total.s},
          {"low_s", of.total.low_s},
          {"high_s", of.total.high_s},
          {"compute_s", of.compute_s},
          {"outside_s", of.outside_s},
          {"inside_node_s", of.inside_s},
          {"between_nodes_s", of.communicate_s},
          {"overlap_s", of.overlap_s}};
}

json paper_json(const PaperResult& of) {
  json value = json::object();
  const auto set = [&](const char* name, double number) {
    if (number > 0) value[name] = number;
  };
  set("pc_s", of.pc_s);
  set("tc_s", of.tc_s);
  set("mpi_over_pc", of.mpi_over_pc);
  set("mpi_over_tc", of.mpi_over_tc);
  return value;
}

}  // namespace

ExpectedGain equation_7(const HybridRow& row) {
  if (!row.measured) return {};
  const double messages_s = row.measured->pc_messages_s;
  const double computation_s = std::max(0.0, row.measured->pc_s - messages_s);
  const double gain_s = std::min(messages_s * row.speed_beside, computation_s);
  return {gain_s, row.of.cores > 1 ? gain_s : std::min(messages_s, computation_s)};
}

std::string hybrid_verdict(const HybridReport& report) {
  const HybridRow& row = report.rows.back();
  const auto models = models_of(row);
  const Named& best =
      *std::ranges::min_element(models, {}, [](const Named& of) { return of.time->total.s; });
  const auto slower = [&](const Named& other) { return ratio(*other.time, *best.time); };
  const model::Predicted& time = best.time->total;
  const bool equal =
      std::ranges::all_of(models, [&](const Named& of) { return slower(of) < 1.005; });
  std::string text =
      fmt::format("{} on {} of {}: {} with {}, {} GFLOP/s.", report.program == "cg" ? "CG" : "HPL",
                  counted(row.of.nodes, "node"), counted(row.of.cores, "core"),
                  equal ? "all models are predicted to be equally fast,"
                        : fmt::format("{} is predicted to be the fastest,", best.name),
                  format_interval(time.s, time.low_s, time.high_s, format_seconds),
                  format_number(row.flops / time.s * 1e-9));
  for (const Named& other : models) {
    if (equal || other.time == best.time) continue;
    text += fmt::format(" {} takes {} times as long.", other.name, format_ratio(slower(other)));
  }
  return row.of.nodes > 1 && !equal ? text + factors_of(row) : text;
}

std::vector<std::string> hybrid_lines(const HybridReport& report) {
  std::vector<std::string> lines = wrap(hybrid_verdict(report));
  const auto append = [&](const std::vector<std::string>& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  lines.emplace_back();
  append(wrap(fmt::format("{} {} on {}", report.program == "cg" ? "CG," : "HPL,", report.problem,
                          report.machine)));
  append(wrap("speed from " + report.speed_source));
  if (report.study.empty()) {
    append(time_table(report, ""));
  } else {
    append(wrap("Viet et al. 2005, " + report.study));
    append(study_lines(report));
  }
  append(equation_lines(report));
  if (!report.measured_on.empty()) append(wrap("measured on " + report.measured_on));
  for (const std::string& note : report.notes) append(wrap_beside("note: ", note));
  if (!report.result.empty()) lines.push_back("JSON: " + report.result);
  return lines;
}

json hybrid_to_json(const HybridReport& report) {
  json value = {{"schema", "plait-predict-hybrid"},
                {"schema_version", 1},
                {"plait_version", PLAIT_VERSION},
                {"created", machine::utc_now()},
                {"verdict", hybrid_verdict(report)},
                {"program", report.program},
                {"problem", report.problem},
                {"machine", report.machine},
                {"speed_source", report.speed_source},
                {"speed", json::array()},
                {"cases", json::array()},
                {"notes", report.notes}};
  if (!report.measured_on.empty()) value["measured_on"] = report.measured_on;
  if (!report.study.empty()) value["study"] = report.study;
  for (const model::SpeedPoint& point : report.speed.points()) {
    value["speed"].push_back({{"cores", point.cores},
                              {"flops_per_s", point.cells_per_s},
                              {"low", point.low > 0 ? point.low : point.cells_per_s},
                              {"high", point.high > 0 ? point.high : point.cells_per_s}});
  }
  for (const HybridRow& row : report.rows) {
    json one = {{"nodes", row.of.nodes},
                {"cores", row.of.cores},
                {"size", row.size},
                {"flops", row.flops},
                {"mpi", time_json(row.time.mpi, row.of.mpi, row.of.mpi_volume)},
                {"pc", time_json(row.time.pc, row.of.hybrid, row.of.hybrid_volume)},
                {"tc", time_json(row.time.tc, row.of.hybrid, row.of.hybrid_volume)}};
    const model::ThreeBandwidths& rates = row.bandwidths;
    if (rates.mpi > 0) {
      one["bandwidths"] = {{"several_channels", rates.mpi}, {"one_channel", rates.hybrid}};
      if (rates.inside > 0) one["bandwidths"]["inside_node"] = rates.inside;
    }
    if (!row.part.empty()) one["part"] = row.part;
    if (row.measured) {
      one["measured"] = {{"mpi_s", row.measured->mpi_s},
                         {"pc_s", row.measured->pc_s},
                         {"tc_s", row.measured->tc_s}};
      if (row.measured->pc_messages_s > 0) {
        const ExpectedGain gain = equation_7(row);
        one["measured"]["pc_messages_s"] = row.measured->pc_messages_s;
        one["measured"]["equation_7_s"] = {{"low", gain.low_s}, {"high", gain.high_s}};
      }
    }
    if (row.paper) one["paper"] = paper_json(*row.paper);
    value["cases"].push_back(one);
  }
  return value;
}

std::vector<std::string> hpl_advice(int nodes, int cores) {
  std::vector<std::string> advice;
  const auto moved = [](int count) {
    return format_number(
        model::volume(model::hpl_pattern(count), model::block_mapping(count, 1)).process.value(),
        Zeros::dropped);
  };
  if (model::is_bad_for_hpl(nodes)) {
    advice.push_back(fmt::format(
        "{} nodes form no good grid: with one process per node, the busiest one sends {} times the "
        "block row U in an iteration, but {} of {} nodes and {} of {}; use one of these",
        nodes, moved(nodes), moved(nodes - 1), nodes - 1, moved(nodes + 1), nodes + 1));
  }
  const std::string every_node = grid_text(model::best_hpl_grid(nodes, 1));
  if (cores == 1) {
    advice.push_back(
        fmt::format("on {}, the busiest node sends least with P x Q = {} for one process per node",
                    counted(nodes, "node"), every_node));
  } else {
    advice.push_back(fmt::format(
        "on {} of {}, the busiest node sends least with P x Q = {} for one process per core, and "
        "{} for one process per node",
        counted(nodes, "node"), counted(cores, "core"),
        grid_text(model::best_hpl_grid(nodes, cores)), every_node));
  }
  return advice;
}

}  // namespace plait::report
