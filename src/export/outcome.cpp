// SPDX-License-Identifier: BSD-3-Clause
// Reports the result of an export or import.
#include "export/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/combine.hpp"
#include "export/message_times.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/terminal.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"

namespace plait::exports {
namespace {

/// Prints a note, wrapped to the terminal.
void print_note(const std::string& note) {
  fmt::print("{}", joined_lines(wrap_beside("Note: ", printable(note, true))));
}

bool selects_member(const trace::Trace& trace, const Selection& selection,
                    const trace::Collective& collective) {
  bool any = false;
  for_members(trace, collective, selection,
              [&](std::uint32_t, std::uint32_t, const trace::Operation&) { any = true; });
  return any;
}

/// The time span of all events: "0 to 2.00 s". Collective if the trace is a part.
std::string span_of(const trace::Trace& trace, Processes* processes) {
  std::int64_t end_ns = 0;
  for (const trace::Rank& rank : trace.ranks) {
    for (const trace::Stream& stream : rank.streams) {
      for (const trace::Event& event : stream.events) end_ns = std::max(end_ns, event.end);
    }
  }
  std::vector<std::int64_t> ends{end_ns};
  combine(processes, ends, [](auto one, auto& last) { last = std::max(last, one); });
  return format_range("0 s", format_seconds(static_cast<double>(ends.front()) * 1e-9));
}

}  // namespace

Counts counts_of(const trace::Trace& trace, const Selection& selection, Processes* processes) {
  Counts counts;
  if (selection.everything()) {
    counts.ranks = trace.ranks.size();
    counts.events = trace::event_count(trace);
    counts.messages = trace.message_count;
    counts.collectives = static_cast<std::size_t>(std::ranges::count_if(
        trace.collectives, [](const auto& of) { return of.shape != trace::kNone; }));
    return counts;
  }
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
    if (!selection.has_rank(rank)) continue;
    ++counts.ranks;
    for (const trace::Stream& stream : trace.ranks[rank].streams) {
      counts.events += static_cast<std::uint64_t>(std::ranges::count_if(
          stream.events, [&](const trace::Event& event) { return selection.has(event); }));
    }
  }
  const TimesOfMessages times(trace, processes);
  for (std::size_t message = 0; message < trace.messages.size(); ++message) {
    // Both processes have a message between them, but the receiver's counts it.
    if (!trace.has(trace.messages[message].receiver)) continue;
    if (selected(selection, times[message])) ++counts.messages;
  }
  std::vector<std::uint8_t> has_member;
  for (const trace::Collective& collective : trace.collectives) {
    has_member.push_back(
        collective.shape != trace::kNone && selects_member(trace, selection, collective) ? 1 : 0);
  }
  combine(processes, has_member, [](std::uint8_t one, std::uint8_t& any) { any |= one; });
  counts.collectives = static_cast<std::size_t>(std::ranges::count(has_member, 1));
  std::vector<std::uint64_t> sums{counts.events, counts.messages};
  combine(processes, sums, [](auto some, auto& sum) { sum += some; });
  counts.events = sums[0];
  counts.messages = sums[1];
  return counts;
}

void require_something(const trace::Trace& trace, const Selection& selection, const Counts& counts,
                       Processes* processes) {
  if (counts.events > 0 || counts.messages > 0 || selection.everything()) return;
  throw Error("--from, --until, --ranks",
              fmt::format("nothing selected: the trace covers {} and has {}",
                          span_of(trace, processes), counted(trace.ranks.size(), "rank")),
              "select a time and ranks within it");
}

void print_outcome(const char* done, const Counts& counts, const std::vector<std::string>& problems,
                   const std::filesystem::path& path, std::uint64_t bytes,
                   const std::vector<std::string>& notes, const std::string& next) {
  fmt::print("{}: {}, {}, {}, {}\n  {}", done, counted(counts.ranks, "rank"),
             counted(counts.events, "event"), counted(counts.messages, "message"),
             counted(counts.collectives, "collective"), path.string());
  if (bytes > 0) fmt::print(" ({})", format_bytes(bytes));
  fmt::print("\n");
  for (const std::string& problem : problems) print_note(problem);
  for (const std::string& note : notes) print_note(note);
  if (!next.empty()) fmt::print("Next: {}\n", next);
}

}  // namespace plait::exports
