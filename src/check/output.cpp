// SPDX-License-Identifier: BSD-3-Clause
// The result of plait check on the terminal and as JSON (docs/schemas/check-1.schema.json).
#include "check/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/name_ranks.hpp"
#include "base/secrets.hpp"
#include "text/counted.hpp"
#include "text/style.hpp"
#include "text/wrap.hpp"
#include "trace/frame_text.hpp"

namespace plait::check {
namespace {

constexpr std::size_t kFrames = 6;      // of a call path on the terminal; the JSON has all
constexpr std::size_t kLeakPlaces = 3;  // of a leak

std::string headline(const Verdict& verdict, const Outcome& outcome) {
  const std::size_t count = verdict.findings.size();
  std::string text = count == 0 ? "No findings" : counted(count, "finding");
  if (!verdict.warnings.empty()) {
    text += fmt::format(", {},", counted(verdict.warnings.size(), "warning"));
  }
  text += fmt::format(" in {} of {}", counted(verdict.operations, "operation"),
                      counted(verdict.ranks, "rank"));
  if (verdict.ranks == 0 && count == 0) text = "Nothing was checked";
  if (outcome.ended_by_plait) {
    text += "; plait ended the deadlocked program";
  } else if (outcome.time_limit) {
    text += "; the time limit ended the program";
  } else if (outcome.exit_code > 128) {
    text += fmt::format("; the program was ended by signal {}", outcome.exit_code - 128);
  } else if (outcome.exit_code != 0) {
    text += fmt::format("; the program's exit code was {}", outcome.exit_code);
  }
  return text;
}

std::string path_text(const Place& place) {
  std::string text;
  for (std::size_t i = 0; i < place.frames.size() && i < kFrames; ++i) {
    if (i > 0) text += " <- ";
    text += trace::site_place({place.frames[i]});
  }
  return text.empty() ? "unknown place" : text;
}

void add_wrapped(std::vector<std::string>& lines, const std::string& label,
                 const std::string& text) {
  for (std::string& line : wrap_beside(label, text, kTerminalColumns, 12)) {
    lines.push_back(std::move(line));
  }
}

void add(std::vector<std::string>& lines, const Finding& finding, const std::string& label,
         bool color) {
  std::string title = fmt::format("{} {}", label, finding.what);
  if (finding.count > 1) title += fmt::format(" ({} times)", format_count(finding.count));
  for (const std::string& line : wrap(title, kTerminalColumns, 4)) {
    lines.push_back(paint(line, Paint::bold, color));
  }
  const std::size_t shown =
      std::min(finding.is_leak() ? kLeakPlaces : finding.places.size(), finding.places.size());
  for (const Place& place : std::span(finding.places).first(shown)) {
    std::string call = place.function;
    if (!place.detail.empty()) call += " " + place.detail;
    add_wrapped(lines, fmt::format("   {}: ", name_ranks(place.ranks)), call);
    add_wrapped(lines, "     at ", path_text(place));
  }
  if (shown < finding.places.size()) {
    lines.push_back(
        fmt::format("   and {}", counted(finding.places.size() - shown, "more call path")));
  }
  add_wrapped(lines, "   fix: ", finding.remedy);
}

nlohmann::json finding_json(const Finding& finding) {
  using nlohmann::json;
  json places = json::array();
  for (const Place& place : finding.places) {
    json frames = json::array();
    for (const trace::Frame& frame : place.frames) {
      frames.push_back({{"function", frame.function},
                        {"file", frame.file},
                        {"line", frame.line},
                        {"module", frame.module},
                        {"offset", frame.offset}});
    }
    places.push_back({{"ranks", place.ranks},
                      {"function", place.function},
                      {"detail", place.detail},
                      {"frames", frames}});
  }
  return {{"kind", finding.kind},
          {"what", finding.what},
          {"remedy", finding.remedy},
          {"count", finding.count},
          {"places", places}};
}

}  // namespace

int exit_code(const Verdict& verdict, const Outcome& outcome) {
  const bool own = !outcome.ended_by_plait && !outcome.time_limit;
  if (own && outcome.exit_code != 0) return outcome.exit_code;
  if (!verdict.findings.empty()) return kFindingsExit;
  return outcome.exit_code == 0 && verdict.ranks == 0 ? 1 : outcome.exit_code;
}

std::vector<std::string> verdict_lines(const Verdict& verdict, const Outcome& outcome, bool color,
                                       bool utf8) {
  std::vector<std::string> lines;
  const Paint headline_paint = verdict.findings.empty() ? Paint::green : Paint::red;
  for (const std::string& line : wrap(headline(verdict, outcome), kTerminalColumns, 3)) {
    lines.push_back(paint(line, headline_paint, color));
  }
  for (std::size_t i = 0; i < verdict.findings.size(); ++i) {
    lines.emplace_back();
    add(lines, verdict.findings[i], fmt::format("{}.", i + 1), color);
  }
  for (const Finding& warning : verdict.warnings) {
    lines.emplace_back();
    add(lines, warning, "warning:", color);
  }
  for (const std::string& note : verdict.notes) add_wrapped(lines, "note: ", note);
  if (color) return lines;
  for (std::string& line : lines) line = printable(line, utf8);
  return lines;
}

nlohmann::json verdict_json(const Verdict& verdict, const Outcome& outcome) {
  using nlohmann::json;
  json value{{"schema", kCheckSchema},
             {"schema_version", kCheckSchemaVersion},
             {"plait_version", PLAIT_VERSION},
             {"command", masked_arguments(outcome.command)},
             {"exit_code", outcome.exit_code},
             {"plait_exit_code", exit_code(verdict, outcome)},
             {"ended_by", outcome.ended_by_plait ? "plait"
                          : outcome.time_limit   ? "time_limit"
                                                 : "itself"},
             {"ranks", verdict.ranks},
             {"operations", verdict.operations},
             {"findings", json::array()},
             {"warnings", json::array()},
             {"notes", verdict.notes}};
  for (const Finding& finding : verdict.findings) {
    value["findings"].push_back(finding_json(finding));
  }
  for (const Finding& warning : verdict.warnings) {
    value["warnings"].push_back(finding_json(warning));
  }
  return value;
}

}  // namespace plait::check
