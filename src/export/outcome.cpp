// SPDX-License-Identifier: BSD-3-Clause
// How the end of an export or import is told.
#include "export/outcome.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "report/text.hpp"

namespace plait::exports {
namespace {

constexpr std::size_t kColumns = 80;

/// The whole note, in lines that fit the terminal.
void print_note(const std::string& note) {
  std::string label = "Note: ";
  for (const std::string& line :
       report::wrap(report::printable(note, true), kColumns - label.size(), std::string::npos)) {
    fmt::print("{}{}\n", label, line);
    label.assign(label.size(), ' ');
  }
}

}  // namespace

void tell(const char* done, const trace::Trace& trace, const std::filesystem::path& path,
          std::uint64_t bytes, const std::vector<std::string>& notes, const std::string& next) {
  fmt::print("{}: {} rank{}, {} events, {} messages, {} collectives\n  {}", done,
             trace.ranks.size(), trace.ranks.size() == 1 ? "" : "s", trace::event_count(trace),
             trace.messages.size(), trace.collectives.size(), path.string());
  if (bytes > 0) fmt::print(" ({:.2g} MB)", static_cast<double>(bytes) * 1e-6);
  fmt::print("\n");
  for (const std::string& problem : trace.problems) print_note(problem);
  for (const std::string& note : notes) print_note(note);
  if (!next.empty()) fmt::print("Next: {}\n", next);
}

}  // namespace plait::exports
