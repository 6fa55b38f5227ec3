// SPDX-License-Identifier: BSD-3-Clause
// The report on a terminal: at most 24 lines of 80 columns, and what was recorded on request.
#include "report/terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "report/computation.hpp"
#include "report/functions.hpp"
#include "report/resource_lines.hpp"
#include "report/terminal_parts.hpp"
#include "text/wrap.hpp"

namespace plait::report {
namespace {

constexpr std::size_t kMostBars = 8;
constexpr std::size_t kMostCalls = 5;

/// The worst findings that fit into `room` lines.
std::vector<Lines> fitting_findings(const Profile& profile, const TerminalOptions& options,
                                    std::size_t room) {
  std::vector<Lines> shown;
  for (const Finding& finding : profile.findings) {
    Lines lines = finding_lines(finding, options, 2);
    if (lines.size() > room) lines = finding_lines(finding, options, 1);
    if (lines.size() > room) break;
    room -= lines.size();
    shown.push_back(std::move(lines));
  }
  return shown;
}

std::size_t size_of(const std::vector<Lines>& blocks) {
  std::size_t lines = 0;
  for (const Lines& block : blocks) lines += block.size();
  return lines;
}

// The variable's value; empty when it is not set.
std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != value.npos || value.find("utf8") != value.npos ||
           value.find("UTF8") != value.npos || value.find("utf-8") != value.npos;
  }
  return false;
}

}  // namespace

TerminalOptions terminal_options(std::FILE* stream) {
  TerminalOptions options;
  options.color = ::isatty(::fileno(stream)) == 1 && environment("NO_COLOR").empty() &&
                  environment("TERM") != "dumb";
  options.utf8 = locale_is_utf8();
  return options;
}

std::vector<std::string> requested_lines(const Profile& profile, const TerminalOptions& options) {
  Lines lines;
  for (const Lines& block :
       {function_lines(profile.functions, options), computation_lines(profile, options),
        counter_lines(profile, options), energy_lines(profile, options),
        memory_lines(profile, options), io_lines(profile, options),
        profile.remapping ? remap::remap_lines(*profile.remapping) : Lines{}}) {
    if (block.empty()) continue;
    lines.emplace_back();
    append(lines, block);
  }
  return lines;
}

std::vector<std::string> terminal_lines(const Profile& profile, const TerminalOptions& options) {
  Lines head = title_lines(profile, options);
  append(head, missing_lines(profile, options));
  append(head, verdict_lines(profile, options));
  append(head, efficiency_lines(profile, options));
  constexpr std::size_t kMostHead = 15;  // the rest needs room, too
  const Lines parts = part_lines(profile, options);
  if (head.size() + parts.size() <= kMostHead) append(head, parts);
  Lines bars = rank_lines(profile, options, kMostBars);
  // With --memory, what a rank used is below the table of memory.
  Lines tool = profile.memory.heap ? Lines{} : usage_lines(profile, options);
  append(tool, tool_lines(profile, options));
  const std::size_t end = next_lines(profile, options, 0).size();

  // Calls and findings matter more than a bar for every rank.
  const std::size_t wanted = 2 + (profile.findings.empty() ? 0 : 3);
  if (head.size() + bars.size() + end + wanted > kTerminalLines) {
    bars = rank_lines(profile, options, 3);
  }
  std::size_t room = kTerminalLines - head.size() - bars.size() - end;
  Lines calls = call_lines(profile, options, 2);
  if (calls.size() > room) calls.clear();
  // Priority: the worst finding, then what a rank used and the lines on Plait itself, then the
  // other findings.
  const std::size_t for_findings = room - calls.size();
  std::vector<Lines> findings =
      fitting_findings(profile, options, for_findings - std::min(for_findings, tool.size()));
  if (findings.empty()) findings = fitting_findings(profile, options, for_findings);
  room -= calls.size() + size_of(findings);
  if (room < tool.size()) tool.resize(room);
  room -= tool.size();
  const std::size_t few = calls.size();
  calls = call_lines(profile, options, std::min(kMostCalls, few == 0 ? 0 : few - 1 + room));
  room -= calls.size() - few;
  Lines regions = region_lines(profile, options);
  if (regions.size() > room) regions.clear();
  room -= regions.size();

  Lines all = head;
  const auto gap = [&](const Lines& before) {
    if (room == 0 || before.empty()) return;
    all.emplace_back();
    --room;
  };
  gap(bars);
  append(all, bars);
  gap(calls);
  append(all, calls);
  append(all, regions);
  if (!findings.empty()) gap(findings.front());
  for (const Lines& finding : findings) append(all, finding);
  append(all, tool);
  if (const Lines requested = requested_lines(profile, options); !requested.empty()) {
    append(all, requested);
    all.emplace_back();
  }
  append(all, next_lines(profile, options, profile.findings.size() - findings.size()));
  return all;
}

void print_terminal(const Profile& profile, std::FILE* stream, const TerminalOptions& options) {
  const std::string text = joined_lines(terminal_lines(profile, options));
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

}  // namespace plait::report
