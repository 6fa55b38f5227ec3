// SPDX-License-Identifier: BSD-3-Clause
// A verdict on the terminal and as JSON (docs/schemas/check-1.schema.json).
#include "check/output.hpp"

#include <fmt/format.h>

#include "base/counted.hpp"
#include "report/site_text.hpp"
#include "report/style.hpp"
#include "report/text.hpp"

namespace plait::check {
namespace {

using report::Paint;

constexpr std::size_t kColumns = 80;
constexpr std::size_t kFrames = 6;  // of a call path on the terminal; all are in the JSON

std::string headline(const Verdict& verdict, const Ending& ending) {
  const std::size_t count = verdict.findings.size();
  std::string text = count == 0 ? "No finding" : counted(count, "finding");
  text += fmt::format(" in {} operation{} of {}", report::format_count(verdict.operations),
                      verdict.operations == 1 ? "" : "s", counted(verdict.ranks, "rank"));
  if (verdict.ranks == 0 && count == 0) text = "Nothing was checked";
  if (ending.ended_by_plait) {
    text += "; plait ended the program, which could not go on";
  } else if (ending.time_limit) {
    text += "; the time limit ended the program";
  } else if (ending.exit_code > 128) {
    text += fmt::format("; the program was ended by signal {}", ending.exit_code - 128);
  } else if (ending.exit_code != 0) {
    text += fmt::format("; the program's exit code was {}", ending.exit_code);
  }
  return text;
}

std::string path_text(const Place& place) {
  std::string text;
  for (std::size_t i = 0; i < place.frames.size() && i < kFrames; ++i) {
    if (i > 0) text += " <- ";
    text += report::site_place({place.frames[i]});
  }
  return text.empty() ? "unknown place" : text;
}

void add_wrapped(std::vector<std::string>& lines, const std::string& indent,
                 const std::string& text) {
  bool is_first = true;
  for (const std::string& line : report::wrap(text, kColumns - indent.size(), 12)) {
    lines.push_back((is_first ? indent : std::string(indent.size(), ' ')) + line);
    is_first = false;
  }
}

void add(std::vector<std::string>& lines, const Finding& finding, std::size_t number, bool color) {
  std::string title = fmt::format("{}. {}", number, finding.what);
  if (finding.count > 1) title += fmt::format(" ({} times)", report::format_count(finding.count));
  for (const std::string& line : report::wrap(title, kColumns, 4)) {
    lines.push_back(report::paint(line, Paint::bold, color));
  }
  for (const Place& place : finding.places) {
    std::string call = place.function;
    if (!place.detail.empty()) call += " " + place.detail;
    add_wrapped(lines, fmt::format("   {}: ", report::name_ranks(place.ranks)), call);
    add_wrapped(lines, "     at ", path_text(place));
  }
  add_wrapped(lines, "   mend: ", finding.remedy);
}

}  // namespace

std::vector<std::string> verdict_lines(const Verdict& verdict, const Ending& ending, bool color,
                                       bool utf8) {
  std::vector<std::string> lines;
  const Paint paint = verdict.findings.empty() ? Paint::green : Paint::red;
  for (const std::string& line : report::wrap(headline(verdict, ending), kColumns, 3)) {
    lines.push_back(report::paint(line, paint, color));
  }
  for (std::size_t i = 0; i < verdict.findings.size(); ++i) {
    lines.emplace_back();
    add(lines, verdict.findings[i], i + 1, color);
  }
  for (const std::string& note : verdict.notes) add_wrapped(lines, "note: ", note);
  if (color) return lines;
  for (std::string& line : lines) line = report::printable(line, utf8);
  return lines;
}

nlohmann::json verdict_json(const Verdict& verdict, const Ending& ending) {
  using nlohmann::json;
  json value{{"schema", kCheckSchema},
             {"schema_version", kCheckSchemaVersion},
             {"plait_version", PLAIT_VERSION},
             {"command", ending.command},
             {"exit_code", ending.exit_code},
             {"ended_by", ending.ended_by_plait ? "plait"
                          : ending.time_limit   ? "time_limit"
                                                : "itself"},
             {"ranks", verdict.ranks},
             {"operations", verdict.operations},
             {"findings", json::array()},
             {"notes", verdict.notes}};
  for (const Finding& finding : verdict.findings) {
    json places = json::array();
    for (const Place& place : finding.places) {
      json frames = json::array();
      for (const report::Frame& frame : place.frames) {
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
    value["findings"].push_back({{"kind", finding.kind},
                                 {"what", finding.what},
                                 {"remedy", finding.remedy},
                                 {"count", finding.count},
                                 {"places", places}});
  }
  return value;
}

}  // namespace plait::check
