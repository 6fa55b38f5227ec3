// SPDX-License-Identifier: BSD-3-Clause
// The counters of phases on a terminal.
#include "report/phase_counter_lines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "report/counter_text.hpp"
#include "report/optional_json.hpp"
#include "text/table.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
using Counts = std::vector<std::optional<double>>;

/// A phase with counters.
struct Counted {
  std::string name;
  double length_s = 0;
  std::vector<std::string> events;
  Counts outside, inside;
  std::vector<DerivedFigure> figures;
};

std::optional<double> count_at(const Counts& counts, std::size_t event) {
  return event < counts.size() ? counts[event] : std::nullopt;
}

std::vector<Counted> counted_phases(const json& phases) {
  std::vector<Counted> all;
  for (const json& phase : phases) {
    if (!phase.contains("counters")) continue;
    const json& of = phase.at("counters");
    Counted& counted = all.emplace_back();
    phase.at("name").get_to(counted.name);
    counted.length_s = phase.at("end_s").get<double>() - phase.at("begin_s").get<double>();
    of.at("events").get_to(counted.events);
    of.at("outside").get_to(counted.outside);
    of.at("inside").get_to(counted.inside);
    for (const json& figure : of.at("derived")) {
      DerivedFigure& to = counted.figures.emplace_back();
      figure.at("name").get_to(to.name);
      figure.at("value").get_to(to.value);
      figure.at("unit").get_to(to.unit);
      figure.at("bound").get_to(to.bound);
      figure.at("bound_name").get_to(to.bound_name);
    }
  }
  return all;
}

/// The events that were counted in a phase.
std::vector<std::size_t> shown_events(const std::vector<Counted>& phases) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < phases.front().events.size(); ++i) {
    const bool known = std::ranges::any_of(phases, [&](const Counted& phase) {
      return count_at(phase.outside, i) || count_at(phase.inside, i);
    });
    if (known) shown.push_back(i);
  }
  return shown;
}

}  // namespace

Lines phase_counter_lines(const json& phases, std::size_t rows, const TerminalOptions& options) {
  const std::vector<Counted> counted = counted_phases(phases);
  if (counted.empty()) return {};
  const std::vector<std::size_t> shown = shown_events(counted);
  if (shown.empty()) return {};
  std::vector<Column> columns{text_column("events by phase", truncate)};
  for (const std::size_t event : shown) {
    columns.push_back(number_column(printable(counted.front().events[event], options.utf8)));
    columns.push_back(number_column("in MPI"));
  }
  Table table(std::move(columns), {0, options.color});
  table.fold_beside(1);
  for (std::size_t row = 0; row < std::min(rows, counted.size()); ++row) {
    const Counted& phase = counted[row];
    Lines cells{printable(phase.name, options.utf8)};
    for (const std::size_t event : shown) {
      const auto outside = count_at(phase.outside, event), inside = count_at(phase.inside, event);
      cells.push_back(count_text(outside, inside));
      cells.push_back(inside_share(outside, inside));
    }
    table.add(std::move(cells));
  }
  Lines lines{""};
  append(lines, table.lines());
  const Counted& longest = *std::ranges::max_element(counted, {}, &Counted::length_s);
  Lines figures;
  for (const DerivedFigure& figure : longest.figures) figures.push_back(figure_text(figure));
  if (!figures.empty()) {
    const std::string text = fmt::format("in {}: {}", longest.name, fmt::join(figures, "; "));
    append(lines, labelled("  ", text, 3, options));
  }
  return lines;
}

}  // namespace plait::report
