// SPDX-License-Identifier: BSD-3-Clause
// A comparison of runs as JSON and on the terminal.
#include "report/compare_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/shell_word.hpp"
#include "report/terminal_parts.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/style.hpp"
#include "text/table.hpp"
#include "text/units.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

json spread_json(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"median", spread->median}, {"low", spread->low}, {"high", spread->high}};
}

std::string value_text(double value, const std::string& unit) {
  return unit == "s" ? format_seconds(value) : format_percent(value);
}

std::string spread_text(const std::optional<Spread>& spread, const std::string& unit) {
  if (!spread) return "not measured";
  return format_interval(value_text(spread->median, unit), value_text(spread->low, unit),
                         value_text(spread->high, unit), Ends::close);
}

std::string change_text(const FigureChange& figure) {
  if (!figure.a || !figure.b) return "";
  const double a = figure.a->median;
  const double b = figure.b->median;
  if (figure.unit == "fraction") return format_points(b - a);
  if (a <= 0) return b > 0 ? "new" : "";
  return format_change(a, b);
}

Lines figure_lines(const Comparison& comparison, const TerminalOptions& options) {
  Table table(
      {text_column("", truncate), number_column("A"), number_column("B"), number_column("change")},
      {0, options.color});
  for (const FigureChange& figure : comparison.figures) {
    const auto nothing = [](const std::optional<Spread>& of) { return !of || of->high == 0; };
    if (nothing(figure.a) && nothing(figure.b)) continue;
    // Where no thread waited for a CPU, that is not a factor.
    const auto full = [](const std::optional<Spread>& of) { return !of || of->low > 0.995; };
    if (figure.name == "CPU efficiency" && full(figure.a) && full(figure.b)) continue;
    table.add({figure.name, spread_text(figure.a, figure.unit), spread_text(figure.b, figure.unit),
               change_text(figure)});
  }
  return table.lines();
}

Lines changed_calls(const Comparison& comparison, const TerminalOptions& options,
                    std::size_t most) {
  const std::optional<Spread>& wall = comparison.figures.front().a;
  const double negligible_s = wall ? 0.001 * wall->median : 0;
  Table table({text_column("calls by change", truncate), number_column("A: time"),
               number_column("calls"), number_column("bytes"), number_column("B: time"),
               number_column("calls"), number_column("bytes"), number_column("change")},
              {0, options.color});
  std::size_t rows = 0;
  for (const CallChange& call : comparison.calls) {
    if (rows == most) break;
    const bool alike = call.a_count == call.b_count && call.a_bytes == call.b_bytes;
    if (alike && rows > 0 && std::abs(call.b_s - call.a_s) < negligible_s) continue;
    Lines cells{printable(call.name, options.utf8)};
    const auto add = [&](double seconds, std::uint64_t count, std::uint64_t bytes) {
      const bool none = count == 0;
      append(cells, {none ? "-" : format_seconds(seconds), none ? "-" : format_count(count),
                     none ? "-" : format_bytes(bytes)});
    };
    add(call.a_s, call.a_count, call.a_bytes);
    add(call.b_s, call.b_count, call.b_bytes);
    cells.push_back(format_change_of_seconds(call.b_s - call.a_s));
    table.add(std::move(cells));
    ++rows;
  }
  return table.empty() ? Lines{} : table.lines();
}

std::string joined_sentences(const std::vector<std::string>& sentences) {
  return fmt::format("{}", fmt::join(sentences, "; "));
}

}  // namespace

json comparison_to_json(const Comparison& comparison) {
  json value = {{"schema", "plait-compare"},
                {"schema_version", 1},
                {"sentence", comparison.sentence},
                {"a",
                 {{"name", comparison.a_name},
                  {"runs", comparison.a_runs},
                  {"command", comparison.a_command}}},
                {"b",
                 {{"name", comparison.b_name},
                  {"runs", comparison.b_runs},
                  {"command", comparison.b_command}}},
                {"figures", json::array()},
                {"calls", json::array()},
                {"findings_gone", comparison.findings_gone},
                {"findings_new", comparison.findings_new},
                {"unfair", comparison.unfair},
                {"notes", comparison.notes}};
  for (const FigureChange& figure : comparison.figures) {
    value["figures"].push_back({{"name", figure.name},
                                {"unit", figure.unit},
                                {"a", spread_json(figure.a)},
                                {"b", spread_json(figure.b)}});
  }
  for (const CallChange& call : comparison.calls) {
    value["calls"].push_back({{"name", call.name},
                              {"a_s", call.a_s},
                              {"b_s", call.b_s},
                              {"a_count", call.a_count},
                              {"b_count", call.b_count},
                              {"a_bytes", call.a_bytes},
                              {"b_bytes", call.b_bytes}});
  }
  if (!comparison.phases.empty()) value["phases"] = phases_to_json(comparison.phases);
  if (!comparison.functions.empty()) value["functions"] = functions_to_json(comparison.functions);
  return value;
}

Lines comparison_lines(const Comparison& comparison, const TerminalOptions& options) {
  Lines lines = bold_lines(comparison.sentence, 2, options);
  const auto side = [&](const char* label, const std::string& name, int runs,
                        const std::vector<std::string>& command) {
    const std::string what =
        fmt::format("{}{}: {}", name, runs > 1 ? " (medians, ranges)" : "", command_text(command));
    append(lines, labelled(label, what, 1, options, Paint::cyan));
  };
  side("A: ", comparison.a_name, comparison.a_runs, comparison.a_command);
  side("B: ", comparison.b_name, comparison.b_runs, comparison.b_command);
  if (!comparison.unfair.empty()) {
    append(lines,
           labelled("caution: ", joined_sentences(comparison.unfair), 2, options, Paint::yellow));
  }
  append(lines, figure_lines(comparison, options));
  Lines end;
  if (!comparison.findings_gone.empty()) {
    append(end, labelled("gone in B: ", joined_sentences(comparison.findings_gone), 1, options,
                         Paint::green));
  }
  if (!comparison.findings_new.empty()) {
    append(end, labelled("new in B: ", joined_sentences(comparison.findings_new), 1, options,
                         Paint::red));
  }
  for (const std::string& note : comparison.notes) {
    append(end, labelled("note: ", note, 2, options, Paint::dim));
  }
  const std::size_t used = lines.size() + end.size();
  if (used + 2 <= kTerminalLines) {
    append(lines,
           changed_calls(comparison, options, std::min<std::size_t>(5, kTerminalLines - used - 1)));
  }
  append(lines, end);
  append(lines, function_change_lines(comparison.functions, options));
  append(lines, phase_lines(comparison.phases, options));
  return lines;
}

}  // namespace plait::report
