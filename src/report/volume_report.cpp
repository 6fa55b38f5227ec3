// SPDX-License-Identifier: BSD-3-Clause
// Communication volume of nodes in CG and HPL, with one process per core and one per node.
#include "report/volume_report.hpp"

#include <fmt/format.h>

#include <array>

#include "machine/machine_file.hpp"
#include "text/counted.hpp"
#include "text/extents.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

std::string decimal(const model::Rational& of) {
  return format_number(of.value(), Zeros::dropped);
}

json rational_json(const model::Rational& of) {
  return {{"value", of.value()}, {"numerator", of.numerator()}, {"denominator", of.denominator()}};
}

json layout_json(const VolumeLayout& of, double unit_bytes) {
  json value = {{"rows", of.rows},
                {"columns", of.columns},
                {"process", rational_json(of.volume.process)},
                {"node", rational_json(of.volume.node)},
                {"lightest_node", rational_json(of.volume.lightest)},
                {"channels", of.volume.channels}};
  if (unit_bytes > 0) value["node_bytes"] = of.volume.node.value() * unit_bytes;
  return value;
}

std::string times_text(const OverlapTimes& times) {
  return fmt::format(
      " Communication and computation take {} one after the other and {} overlapped, {} less.",
      format_seconds(times.without_s), format_seconds(times.with_s),
      format_seconds(times.without_s - times.with_s));
}

std::string comparison_of(const VolumeCase& of) {
  const double many = of.every_core.volume.node.value();
  const double one = of.every_node.volume.node.value();
  const std::string what =
      fmt::format("with one process per node ({})", decimal(of.every_node.volume.node));
  if (one == many) return "as much as " + what;
  if (one == 0) return "more than " + what;
  return fmt::format("{} times as much as {}", format_ratio(many / one), what);
}

std::vector<std::string> table(const VolumeReport& report) {
  const bool bytes = report.unit_bytes > 0;
  const bool times = report.cases.front().times.has_value();
  std::vector<Column> columns{
      number_column("nodes"),  number_column("cores"),    number_column("process\nper core\ngrid"),
      number_column("volume"), number_column("channels"), number_column("process\nper node\ngrid"),
      number_column("volume")};
  if (bytes) columns.push_back(number_column("bytes"));
  if (times) {
    columns.push_back(number_column("serial"));
    columns.push_back(number_column("overlap"));
  }
  Table table(std::move(columns));
  for (const VolumeCase& of : report.cases) {
    const auto grid = [](const VolumeLayout& layout) {
      return format_extents(std::array{layout.rows, layout.columns});
    };
    std::vector<std::string> cells{std::to_string(of.nodes),
                                   std::to_string(of.cores),
                                   grid(of.every_core),
                                   decimal(of.every_core.volume.node),
                                   std::to_string(of.every_core.volume.channels),
                                   grid(of.every_node),
                                   decimal(of.every_node.volume.node)};
    if (bytes) {
      cells.push_back(format_bytes(of.every_node.volume.node.value() * report.unit_bytes));
    }
    if (times) {
      cells.push_back(format_seconds(of.times->without_s));
      cells.push_back(format_seconds(of.times->with_s));
    }
    table.add(std::move(cells));
  }
  return table.lines();
}

}  // namespace

std::string volume_unit(const VolumeReport& report) {
  return report.program == "cg" ? "the vector's n doubles" : "the block row U";
}

std::string volume_verdict(const VolumeReport& report) {
  const VolumeCase& of = report.cases.back();
  std::string text = fmt::format(
      "On {} of {}, with one process per core, a node sends {} times {} to other nodes, over {}: "
      "{}.",
      counted(of.nodes, "node"), counted(of.cores, "core"), decimal(of.every_core.volume.node),
      volume_unit(report), counted(of.every_core.volume.channels, "channel"), comparison_of(of));
  if (of.times) text += times_text(*of.times);
  return text;
}

std::vector<std::string> volume_lines(const VolumeReport& report) {
  std::vector<std::string> lines = wrap(volume_verdict(report));
  lines.emplace_back();
  lines.push_back(fmt::format("{}: volume that the busiest node sends to other nodes in one {}",
                              report.program == "cg" ? "CG" : "HPL",
                              report.program == "cg" ? "q = A p" : "iteration"));
  lines.push_back(fmt::format("unit: {}", volume_unit(report)));
  for (const std::string& line : table(report)) lines.push_back(line);
  if (!report.result.empty()) lines.push_back("JSON: " + report.result);
  return lines;
}

json volume_to_json(const VolumeReport& report) {
  json value = {{"schema", "plait-predict-volume"},  {"schema_version", 1},
                {"plait_version", PLAIT_VERSION},    {"created", machine::utc_now()},
                {"verdict", volume_verdict(report)}, {"program", report.program},
                {"unit", volume_unit(report)},       {"cases", json::array()}};
  for (const VolumeCase& of : report.cases) {
    json one = {{"nodes", of.nodes},
                {"cores", of.cores},
                {"every_core", layout_json(of.every_core, report.unit_bytes)},
                {"every_node", layout_json(of.every_node, report.unit_bytes)}};
    if (of.times) {
      one["times"] = {{"compute_s", of.times->compute_s},
                      {"communicate_s", of.times->communicate_s},
                      {"without_overlap_s", of.times->without_s},
                      {"with_overlap_s", of.times->with_s}};
    }
    value["cases"].push_back(one);
  }
  return value;
}

}  // namespace plait::report
