// SPDX-License-Identifier: BSD-3-Clause
// Judges the outcome of a job: ended, failed, refused by MPI, crashed or hung, with the message.
#include "run/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <regex>
#include <sstream>
#include <utility>
#include <vector>

#include "base/short_lines.hpp"
#include "text/units.hpp"

namespace plait::run {
namespace {

constexpr std::array<std::pair<Outcome, const char*>, 5> kNames{{{Outcome::ended, "ended"},
                                                                 {Outcome::failed, "failed"},
                                                                 {Outcome::refused, "refused"},
                                                                 {Outcome::crashed, "crashed"},
                                                                 {Outcome::hung, "hung"}}};
constexpr std::size_t kMaxMessage = 240;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream rest(text);
  for (std::string line; std::getline(rest, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    const std::size_t first = line.find_first_not_of(" \t=-*");
    if (first != std::string::npos) lines.push_back(line.substr(first));
  }
  return lines;
}

/// The first line that contains one of these texts; the first text is looked for first.
std::string line_with(const std::vector<std::string>& lines,
                      const std::vector<const char*>& texts) {
  for (const char* text : texts) {
    for (const std::string& line : lines) {
      if (line.find(text) != std::string::npos) return line;
    }
  }
  return {};
}

/// The message that MPI did not start: of MPICH and Intel MPI, Open MPI, PRRTE. Open MPI 4's
/// launcher may lose the message of the ranks and print only its own error log.
std::string refusal_in(const std::vector<std::string>& lines) {
  return line_with(lines, {"was not found, or was unable", "was not found (or was unable", "MPIDI_",
                           "MPIR_Init", "internal_Init", "Fatal error in", "PML add procs",
                           "failed during MPI_INIT", "failed during MPI_Init", "MPI_INIT failed",
                           "occurred in MPI_Init", "MPI_INIT has failed", "not enough slots",
                           "unrecognized option", "unrecognized argument", "unable to reach",
                           "ORTE_ERROR_LOG", "PRTE ERROR", "PMIX ERROR"});
}

/// The signal that a launcher names: "(Segmentation fault: 11)", "signal 11", "EXIT CODE: 139".
std::optional<int> signal_in(const std::string& all) {
  const std::string output = with_short_lines(all);
  static const std::regex named(R"((?:on signal|\(signal|KILLED BY SIGNAL:) ([0-9]{1,3})\b)");
  static const std::regex code("EXIT CODE: ([0-9]{1,3})\\b");
  std::smatch found;
  if (std::regex_search(output, found, named)) return std::stoi(found[1]);
  if (std::regex_search(output, found, code)) {
    const int number = std::stoi(found[1]);
    if (number > 0 && number < 32) return number;
    if (number > 128 && number < 160) return number - 128;
  }
  return std::nullopt;
}

bool is_crash(int signal) {
  static constexpr std::array<int, 6> kCrashes{SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGTRAP};
  return std::find(kCrashes.begin(), kCrashes.end(), signal) != kCrashes.end();
}

std::string last_line(const std::vector<std::string>& lines) {
  return lines.empty() ? std::string{} : lines.back();
}

/// Why a program ended with an error: its first line that says so, otherwise its last line.
/// Launchers append a report of their own, in which there is no reason.
std::string reason_in(const std::vector<std::string>& lines) {
  constexpr std::array<const char*, 4> kReports{
      "Primary job  terminated normally", "BAD TERMINATION OF ONE OF YOUR APPLICATION",
      "processes exited with non-zero status", "prterun detected that one or more processes"};
  const auto report = std::ranges::find_if(lines, [&](const std::string& line) {
    return std::ranges::any_of(kReports,
                               [&](const char* text) { return line.find(text) != line.npos; });
  });
  const std::vector<std::string> own(lines.begin(), report);
  const std::string error = line_with(own, {"ERROR:", "Error:", "error:"});
  if (!error.empty()) return error;
  return last_line(own.empty() ? lines : own);
}

}  // namespace

std::string signal_text(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

std::string outcome_name(Outcome outcome) {
  for (const auto& [kind, name] : kNames) {
    if (kind == outcome) return name;
  }
  return {};
}

std::optional<Outcome> outcome_named(const std::string& name) {
  for (const auto& [kind, known] : kNames) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

JobOutcome judge_outcome(const ProcessEnd& end, const std::string& output,
                         std::optional<double> limit_s) {
  const std::vector<std::string> lines = lines_of(output);
  JobOutcome result;
  result.exit_code = end.exit_code;
  if (end.timed_out) {
    result.kind = Outcome::hung;
    result.limit_s = limit_s;
    result.message = last_line(lines);
  } else if (end.exit_code != 0) {
    const std::string assertion = line_with(lines, {"Assertion failed", "assertion"});
    std::optional<int> signal = end.signal ? end.signal : signal_in(output);
    if (!signal && end.exit_code > 128 && end.exit_code < 160) signal = end.exit_code - 128;
    const std::string refusal = refusal_in(lines);
    if ((signal && is_crash(*signal)) || !assertion.empty()) {
      result.kind = Outcome::crashed;
      result.signal = signal;
      result.message = assertion.empty()
                           ? line_with(lines, {"on signal", "EXIT STRING", "SIGNAL", "signal"})
                           : assertion;
    } else if (!refusal.empty()) {
      result.kind = Outcome::refused;
      result.message = refusal;
    } else {
      result.kind = Outcome::failed;
      result.message = reason_in(lines);
    }
  }
  if (result.message.size() > kMaxMessage) result.message.resize(kMaxMessage);
  return result;
}

std::string outcome_sentence(const JobOutcome& outcome) {
  std::string text = outcome_name(outcome.kind);
  switch (outcome.kind) {
    case Outcome::hung:
      text += fmt::format(", killed after {}",
                          format_seconds(outcome.limit_s.value_or(0), Zeros::dropped));
      break;
    case Outcome::crashed:
      text += outcome.signal ? " with " + signal_text(*outcome.signal)
                             : fmt::format(", exit code {}", outcome.exit_code);
      break;
    case Outcome::refused:
      text += fmt::format(" at start, exit code {}", outcome.exit_code);
      break;
    case Outcome::failed:
      text += fmt::format(" with exit code {}", outcome.exit_code);
      break;
    case Outcome::ended:
      break;
  }
  return outcome.message.empty() ? text : text + ": " + outcome.message;
}

}  // namespace plait::run
