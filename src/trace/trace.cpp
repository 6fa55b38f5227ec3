// SPDX-License-Identifier: BSD-3-Clause
// Names of event kinds, counts, and the time of a trace.
#include "trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "plait/error.hpp"

namespace plait::trace {

std::string_view kind_name(EventKind kind) {
  switch (kind) {
    case EventKind::other:
      return "other";
    case EventKind::send:
      return "send";
    case EventKind::receive:
      return "receive";
    case EventKind::send_receive:
      return "send_receive";
    case EventKind::start:
      return "start";
    case EventKind::complete:
      return "complete";
    case EventKind::poll:
      return "poll";
    case EventKind::probe:
      return "probe";
    case EventKind::collective:
      return "collective";
    case EventKind::one_sided:
      return "one_sided";
    case EventKind::parallel:
      return "parallel";
    case EventKind::work:
      return "work";
    case EventKind::region:
      return "region";
  }
  return "other";
}

bool is_call(EventKind kind) {
  return kind != EventKind::parallel && kind != EventKind::work && kind != EventKind::region;
}

bool calls_mpi(const Trace& trace, const Stream& stream) {
  return std::ranges::any_of(stream.events,
                             [&](const Event& event) { return is_call(trace.shape(event).kind); });
}

std::uint64_t event_count(const Trace& trace) {
  std::uint64_t count = trace.events_elsewhere;
  for (const Rank& rank : trace.ranks) {
    for (const Stream& stream : rank.streams) {
      count += stream.events.size();
    }
  }
  return count;
}

double recorded_seconds(const Trace& trace) {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = 0;
  for (const Rank& rank : trace.ranks) {
    if (rank.streams.empty()) continue;
    begin = std::min(begin, rank.begin);
    end = std::max(end, rank.end);
  }
  return end > begin ? static_cast<double>(end - begin) * 1e-9 : 0;
}

std::string traced_text(const Trace& trace) {
  return fmt::format("{} of {} ranks", trace.ranks.size() - trace.left_out, trace.ranks.size());
}

void require_all_ranks(const Trace& trace, const std::string& name, const std::string& what) {
  if (trace.left_out == 0) return;
  const bool has_gaps =
      std::ranges::any_of(trace.ranks, [](const Rank& rank) { return !rank.gaps.empty(); });
  throw Error(name, fmt::format("only {} were traced, and {} needs all", traced_text(trace), what),
              has_gaps ? "record a part of the run in which all ranks are"
                       : "record it again without --trace-ranks");
}

void require_whole(const Trace& trace, const std::string& name, const std::string& remedy) {
  if (trace.damage.empty()) return;
  // Messages about a file end with what to do about that file.
  const std::string what = trace.damage.substr(0, trace.damage.rfind("; run the program again"));
  throw Error(name, "its trace is damaged: " + what, remedy);
}

void share_ranks(Trace& trace, const Processes& processes) {
  const std::size_t ranks = trace.ranks.size();
  const auto size = static_cast<std::size_t>(processes.size());
  trace.shares.clear();
  for (std::size_t process = 0; process < size; ++process) {
    trace.shares.push_back(
        share_of(ranks, ranks > kRanksTogether ? kRanksTogether : 1, size, process));
  }
  trace.process = static_cast<std::size_t>(processes.rank());
}

}  // namespace plait::trace
