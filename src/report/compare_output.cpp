// SPDX-License-Identifier: BSD-3-Clause
// A comparison of runs as JSON and on the terminal.
#include "report/compare_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/shell_word.hpp"
#include "text/style.hpp"
#include "text/terminal.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

constexpr std::size_t kNameWidth = 26;
constexpr std::size_t kValueWidth = 20;
constexpr std::size_t kChangeWidth = 14;

json spread_json(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"median", spread->median}, {"low", spread->low}, {"high", spread->high}};
}

std::string value_text(double value, const std::string& unit) {
  return unit == "s" ? format_seconds(value) : format_percent(value);
}

std::string spread_text(const std::optional<Spread>& spread, const std::string& unit, int runs) {
  if (!spread) return "not measured";
  std::string text = value_text(spread->median, unit);
  if (runs > 1) {
    // Write the unit once where it is the same: "12.3 s (12.1-12.6)".
    std::string low = value_text(spread->low, unit);
    std::string high = value_text(spread->high, unit);
    const auto unit_of = [](const std::string& of) { return of.substr(of.find(' ')); };
    if (unit_of(low) == unit_of(high) && unit_of(low) == unit_of(text)) {
      low = low.substr(0, low.find(' '));
      high = high.substr(0, high.find(' '));
    }
    text += fmt::format(" ({}-{})", low, high);
  }
  return text;
}

std::string change_text(const FigureChange& figure) {
  if (!figure.a || !figure.b) return "";
  const double a = figure.a->median;
  const double b = figure.b->median;
  if (figure.unit == "fraction") return fmt::format("{:+.1f} points", (b - a) * 100);
  if (a <= 0) return b > 0 ? "new" : "";
  const double percent = (b / a - 1) * 100;
  return std::abs(percent) < 1000 ? fmt::format("{:+.1f} %", percent)
                                  : fmt::format("{:.3g} times", b / a);
}

std::string row(const std::string& name, const std::string& a, const std::string& b,
                const std::string& change) {
  return pad(truncate(name, kNameWidth - 1), kNameWidth) +
         pad(truncate(a, kValueWidth - 1), kValueWidth, true) +
         pad(truncate(b, kValueWidth - 1), kValueWidth, true) +
         pad(truncate(change, kChangeWidth - 1), kChangeWidth, true);
}

std::string signed_seconds(double seconds) {
  if (std::abs(seconds) < 1e-9) return "same";
  return fmt::format("{}{}", seconds < 0 ? "-" : "+", format_seconds(std::abs(seconds)));
}

Lines figure_lines(const Comparison& comparison, const TerminalOptions& options) {
  Lines lines{paint(row("", "A", "B", "change"), Paint::dim, options.color)};
  for (const FigureChange& figure : comparison.figures) {
    const auto nothing = [](const std::optional<Spread>& of) { return !of || of->high == 0; };
    if (nothing(figure.a) && nothing(figure.b)) continue;
    lines.push_back(row(figure.name, spread_text(figure.a, figure.unit, comparison.a_runs),
                        spread_text(figure.b, figure.unit, comparison.b_runs),
                        change_text(figure)));
  }
  return lines;
}

Lines call_lines(const Comparison& comparison, const TerminalOptions& options, std::size_t most) {
  const auto value = [](double seconds, std::uint64_t count, std::uint64_t bytes) {
    return count == 0 ? std::string("-")
                      : fmt::format("{} {:>6} {:>8}", format_seconds(seconds), format_count(count),
                                    format_bytes(static_cast<double>(bytes)));
  };
  const auto line = [](const std::string& name, const std::string& a, const std::string& b,
                       const std::string& change) {
    return pad(truncate(name, 19), 20) + pad(a, 25, true) + pad(b, 26, true) + pad(change, 9, true);
  };
  const std::optional<Spread>& wall = comparison.figures.front().a;
  const double negligible_s = wall ? 0.001 * wall->median : 0;
  Lines lines;
  for (const CallChange& call : comparison.calls) {
    if (lines.size() == most) break;
    const bool alike = call.a_count == call.b_count && call.a_bytes == call.b_bytes;
    if (alike && !lines.empty() && std::abs(call.b_s - call.a_s) < negligible_s) continue;
    lines.push_back(
        line(printable(call.name, options.utf8), value(call.a_s, call.a_count, call.a_bytes),
             value(call.b_s, call.b_count, call.b_bytes), signed_seconds(call.b_s - call.a_s)));
  }
  if (lines.empty()) return lines;
  lines.insert(lines.begin(), paint(line("calls by change", "A: time  calls    bytes",
                                         "B: time  calls    bytes", "change"),
                                    Paint::dim, options.color));
  return lines;
}

Lines labelled(const std::string& label, const std::string& text, std::size_t most,
               const TerminalOptions& options, Paint with) {
  Lines lines = wrap(printable(text, options.utf8), kTerminalColumns - display_width(label), most);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i] =
        (i == 0 ? paint(label, with, options.color) : std::string(display_width(label), ' ')) +
        lines[i];
  }
  return lines;
}

void append(Lines& to, const Lines& from) {
  to.insert(to.end(), from.begin(), from.end());
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
  return value;
}

Lines comparison_lines(const Comparison& comparison, const TerminalOptions& options) {
  Lines lines = wrap(printable(comparison.sentence, options.utf8), kTerminalColumns, 2);
  for (std::string& line : lines) line = paint(line, Paint::bold, options.color);
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
           call_lines(comparison, options, std::min<std::size_t>(5, kTerminalLines - used - 1)));
  }
  append(lines, end);
  append(lines, phase_lines(comparison.phases, options));
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

}  // namespace plait::report
