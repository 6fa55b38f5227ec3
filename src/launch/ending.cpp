// SPDX-License-Identifier: BSD-3-Clause
// How a job ended: well, with a failure, refused by MPI, crashed or hung, and in whose words.
#include "launch/ending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <regex>
#include <sstream>
#include <utility>
#include <vector>

namespace plait::launch {
namespace {

constexpr std::array<std::pair<Ending, const char*>, 5> kNames{{{Ending::ended, "ended"},
                                                                {Ending::failed, "failed"},
                                                                {Ending::refused, "refused"},
                                                                {Ending::crashed, "crashed"},
                                                                {Ending::hung, "hung"}}};
constexpr std::size_t kMostWords = 240;

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

/// The first line that one of the words stands in, the first word first.
std::string line_with(const std::vector<std::string>& lines,
                      const std::vector<const char*>& words) {
  for (const char* word : words) {
    for (const std::string& line : lines) {
      if (line.find(word) != std::string::npos) return line;
    }
  }
  return {};
}

/// What says that MPI would not start: MPICH and Intel MPI, Open MPI, PRRTE. Open MPI 4's launcher
/// may lose the ranks' message and print its own error log only.
std::string refusal_in(const std::vector<std::string>& lines) {
  return line_with(lines, {"was not found, or was unable", "was not found (or was unable", "MPIDI_",
                           "MPIR_Init", "internal_Init", "Fatal error in", "PML add procs",
                           "failed during MPI_INIT", "failed during MPI_Init", "MPI_INIT failed",
                           "occurred in MPI_Init", "MPI_INIT has failed", "not enough slots",
                           "unrecognized option", "unrecognized argument", "unable to reach",
                           "ORTE_ERROR_LOG", "PRTE ERROR", "PMIX ERROR"});
}

/// The signal that a launcher names: "(Segmentation fault: 11)", "signal 11", "EXIT CODE: 139".
std::optional<int> signal_in(const std::string& output) {
  static const std::regex named(R"((?:on signal|\(signal|KILLED BY SIGNAL:) ([0-9]+))");
  static const std::regex code("EXIT CODE: ([0-9]+)");
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

std::string signal_text(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

std::string last_line(const std::vector<std::string>& lines) {
  return lines.empty() ? std::string{} : lines.back();
}

}  // namespace

std::string ending_name(Ending ending) {
  for (const auto& [kind, name] : kNames) {
    if (kind == ending) return name;
  }
  return {};
}

std::optional<Ending> ending_named(const std::string& name) {
  for (const auto& [kind, known] : kNames) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

JobEnding judge_ending(const ProcessEnd& end, const std::string& output,
                       std::optional<double> limit_s) {
  const std::vector<std::string> lines = lines_of(output);
  JobEnding result;
  result.exit_code = end.exit_code;
  if (end.timed_out) {
    result.ending = Ending::hung;
    result.limit_s = limit_s;
    result.words = last_line(lines);
  } else if (end.exit_code != 0) {
    const std::string assertion = line_with(lines, {"Assertion failed", "assertion"});
    std::optional<int> signal = end.signal ? end.signal : signal_in(output);
    if (!signal && end.exit_code > 128 && end.exit_code < 160) signal = end.exit_code - 128;
    const std::string refusal = refusal_in(lines);
    if ((signal && is_crash(*signal)) || !assertion.empty()) {
      result.ending = Ending::crashed;
      result.signal = signal;
      result.words = assertion.empty()
                         ? line_with(lines, {"on signal", "EXIT STRING", "SIGNAL", "signal"})
                         : assertion;
    } else if (!refusal.empty()) {
      result.ending = Ending::refused;
      result.words = refusal;
    } else {
      result.ending = Ending::failed;
      result.words = last_line(lines);
    }
  }
  if (result.words.size() > kMostWords) result.words.resize(kMostWords);
  return result;
}

std::string ending_sentence(const JobEnding& ending) {
  std::string text = ending_name(ending.ending);
  switch (ending.ending) {
    case Ending::hung:
      text += fmt::format(", killed after {:.1f} s", ending.limit_s.value_or(0));
      break;
    case Ending::crashed:
      text += ending.signal ? " with " + signal_text(*ending.signal)
                            : fmt::format(", exit code {}", ending.exit_code);
      break;
    case Ending::refused:
      text += fmt::format(" at its start, exit code {}", ending.exit_code);
      break;
    case Ending::failed:
      text += fmt::format(" with exit code {}", ending.exit_code);
      break;
    case Ending::ended:
      break;
  }
  return ending.words.empty() ? text : text + ": " + ending.words;
}

}  // namespace plait::launch
