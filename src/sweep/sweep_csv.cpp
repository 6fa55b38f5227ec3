// SPDX-License-Identifier: BSD-3-Clause
// The result of a sweep as CSV.
#include "sweep/sweep_csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>
#include <vector>

namespace plait::sweep {
namespace {

/// A cell of a CSV file (RFC 4180).
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + "\"";
}

std::string number_cell(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "";
}

}  // namespace

std::string sweep_to_csv(const Sweep& sweep, const SweepResult& result) {
  std::vector<std::string> head;
  if (!sweep.points.empty()) {
    for (const auto& [name, value] : sweep.points.front().point.values) head.push_back(cell(name));
  }
  for (const char* name :
       {"cores", "runs", "value", "low", "high", "wall_s", "speedup", "efficiency", "karp_flatt",
        "parallel_efficiency", "load_balance", "communication_efficiency", "thread_efficiency",
        "cpu_efficiency", "core_hours", "node_bytes", "problem"}) {
    head.emplace_back(name);
  }
  std::string text = fmt::format("{}\n", fmt::join(head, ","));
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const SweepPoint& point = sweep.points[i];
    const PointResult of = result.points[i].value_or(PointResult{});
    const auto measured = [&](double value) {
      return result.points[i] ? number_cell(value) : std::string{};
    };
    std::vector<std::string> row;
    for (const auto& [name, value] : point.point.values) row.push_back(cell(value));
    for (std::string& each : std::vector<std::string>{
             std::to_string(point.point.cores()), std::to_string(point.runs.size()),
             measured(of.value.median), measured(of.value.low), measured(of.value.high),
             measured(of.wall_s), number_cell(of.speedup), number_cell(of.efficiency),
             number_cell(of.karp_flatt), number_cell(of.factors.parallel),
             number_cell(of.factors.load_balance), number_cell(of.factors.communication),
             number_cell(of.factors.threads), number_cell(of.factors.cpu), measured(of.core_hours),
             number_cell(of.node_bytes),
             cell(point.failure ? point.failure->problem : point.point.left_out)}) {
      row.push_back(std::move(each));
    }
    text += fmt::format("{}\n", fmt::join(row, ","));
  }
  return text;
}

}  // namespace plait::sweep
