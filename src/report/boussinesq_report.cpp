// SPDX-License-Identifier: BSD-3-Clause
// The predicted times and memory of plait-boussinesq on ranks and threads.
#include "report/boussinesq_report.hpp"

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

using nlohmann::json;

std::string size_text(const model::BoussinesqCase& of) {
  return format_extents(std::array{of.ranks, of.threads});
}

std::string cut_text(const model::BoussinesqCase& of) {
  return of.pencils[0] == 0 ? "slabs" : format_extents(of.pencils);
}

const BoussinesqRow* fastest(const BoussinesqReport& report) {
  const BoussinesqRow* best = nullptr;
  for (const BoussinesqRow& row : report.rows) {
    if (row.fits && (best == nullptr || row.time.total.s < best->time.total.s)) best = &row;
  }
  return best;
}

std::string verdict_of(const BoussinesqReport& report) {
  const std::string problem = fmt::format("{} points{}", format_extents(report.points),
                                          report.subgrid ? " with a subgrid model" : "");
  const BoussinesqRow* best = fastest(report);
  if (best == nullptr) return problem + ": no case fits.";
  const model::Predicted& time = best->time.total;
  std::string text = fmt::format(
      "{}: {} of {} {} predicted to need {} per step.", problem, counted(best->of.ranks, "rank"),
      counted(best->of.threads, "thread"), best->of.ranks == 1 ? "is" : "are",
      format_interval(time.s, time.low_s, time.high_s, format_seconds));
  if (best->time.network_s > 0) {
    text += fmt::format(" Messages between nodes take {} of it.",
                        format_percent(best->time.network_s / time.s));
  }
  return text;
}

std::vector<std::string> time_table(const BoussinesqReport& report) {
  Table table({number_column("ranks x\nthreads"), text_column("cut"), number_column("nodes"),
               number_column("per step"), number_column("interval"), number_column("trans-\nforms"),
               number_column("columns"), number_column("in\nthe node"),
               number_column("between\nnodes")});
  table.fold_beside(1);
  for (const BoussinesqRow& row : report.rows) {
    std::vector<std::string> cells{size_text(row.of), cut_text(row.of),
                                   std::to_string(row.of.nodes())};
    if (row.fits) {
      const model::BoussinesqTime& time = row.time;
      cells.insert(cells.end(),
                   {format_seconds(time.total.s),
                    format_range(time.total.low_s, time.total.high_s, format_seconds, Ends::close),
                    format_seconds(time.transforms_s), format_seconds(time.columns_s),
                    format_seconds(time.inside_s), format_seconds(time.network_s)});
    } else {
      cells.emplace_back("-");
    }
    table.add(std::move(cells));
  }
  return table.lines();
}

std::vector<std::string> memory_table(const BoussinesqReport& report) {
  Table table({number_column("ranks x\nthreads"), number_column("memory\nper rank"),
               number_column("fields"), number_column("planes"),
               number_column("messages,\nat most"), number_column("threads"),
               number_column("per node"), number_column("per step,\noverlapped")});
  table.fold_beside(1);
  for (const BoussinesqRow& row : report.rows) {
    if (!row.fits) continue;
    const model::BoussinesqMemory& memory = row.memory;
    table.add({size_text(row.of), format_bytes(memory.total()), format_bytes(memory.fields),
               format_bytes(memory.planes), format_bytes(memory.messages),
               format_bytes(memory.threads),
               format_bytes(memory.total() * std::min(row.of.ranks_per_node, row.of.ranks)),
               row.time.network_s > 0 ? format_seconds(row.time.overlapped_s) : "-"});
  }
  return table.lines();
}

json row_json(const BoussinesqRow& row) {
  const model::BoussinesqCase& of = row.of;
  json value = {{"ranks", of.ranks},     {"threads", of.threads},
                {"nodes", of.nodes()},   {"ranks_per_node", of.ranks_per_node},
                {"pencils", of.pencils}, {"fits", row.fits}};
  if (!row.fits) return value;
  value["time_s"] = row.time.total.s;
  value["low_s"] = row.time.total.low_s;
  value["high_s"] = row.time.total.high_s;
  value["transforms_s"] = row.time.transforms_s;
  value["columns_s"] = row.time.columns_s;
  value["inside_node_s"] = row.time.inside_s;
  value["between_nodes_s"] = row.time.network_s;
  value["overlapped_s"] = row.time.overlapped_s;
  value["memory"] = {{"field_bytes", row.memory.fields},
                     {"plane_bytes", row.memory.planes},
                     {"message_bytes", row.memory.messages},
                     {"thread_bytes", row.memory.threads}};
  return value;
}

}  // namespace

std::vector<std::string> boussinesq_lines(const BoussinesqReport& report) {
  std::vector<std::string> lines = wrap(verdict_of(report));
  const auto append = [&](const std::vector<std::string>& more) {
    lines.insert(lines.end(), more.begin(), more.end());
  };
  lines.emplace_back();
  append(wrap("plait-boussinesq on " + report.machine));
  append(time_table(report));
  if (fastest(report) != nullptr) append(memory_table(report));
  for (const std::string& note : report.notes) append(wrap_beside("note: ", note));
  if (!report.result.empty()) lines.push_back("JSON: " + report.result);
  return lines;
}

json boussinesq_to_json(const BoussinesqReport& report) {
  json value = {{"schema", "plait-predict-boussinesq"},
                {"schema_version", 1},
                {"plait_version", PLAIT_VERSION},
                {"created", machine::utc_now()},
                {"verdict", verdict_of(report)},
                {"machine", report.machine},
                {"points", report.points},
                {"subgrid", report.subgrid},
                {"cases", json::array()},
                {"notes", report.notes}};
  for (const BoussinesqRow& row : report.rows) value["cases"].push_back(row_json(row));
  return value;
}

}  // namespace plait::report
