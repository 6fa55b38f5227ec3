// SPDX-License-Identifier: BSD-3-Clause
// Detects receives from any source, loops of Waitany, and receives posted after their message.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/message_ends.hpp"
#include "analysis/pattern_detectors.hpp"
#include "text/units.hpp"

namespace plait::analysis {
namespace {

using trace::EventKind;
using trace::kNone;

/// Share of a rank's receives; fewer from any source are not a hot path.
constexpr double kManyOfAll = 0.1;
/// Mean calls of MPI_Waitany per set of requests; fewer are not a loop.
constexpr std::uint64_t kLoopCalls = 3;
/// Share of the messages of one call site; jitter alone makes about half of them late.
constexpr double kSystematic = 0.9;

bool starts_receive(const trace::Rank& rank, const trace::Event& event) {
  return std::ranges::any_of(rank.started_by(event), [](const trace::Operation& started) {
    return started.kind == trace::OperationKind::receive;
  });
}

/// Receives from any source in hot paths.
struct FromAnySource {
  SiteTallies sites;
  std::uint64_t most_sources = 0;  ///< of one rank
};

template <class Archive>
void fields(Archive& archive, FromAnySource& of) {
  archive(of.sites, of.most_sources);
}

void merge(const FromAnySource& later, FromAnySource& sum) {
  merge(later.sites, sum.sites);
  sum.most_sources = std::max(sum.most_sources, later.most_sources);
}

void look_for_any_source(const PatternInput& of, std::uint32_t number, FromAnySource& found) {
  const std::uint32_t of_rank = of.lanes.all[number].rank;
  const trace::Rank& rank = of.trace.ranks[of_rank];
  std::uint64_t receives = 0;
  std::set<int> sources;
  SiteTallies own;
  for_calls_of(of, number,
               [&](std::uint32_t, const trace::Event& event, const trace::Shape& shape,
                   std::int64_t busy_ns) {
                 const bool probes = shape.kind == EventKind::probe;
                 if (!probes && !starts_receive(rank, event)) return;
                 ++receives;
                 if (shape.peer != PLAIT_ANY_PEER) return;
                 own[shape.site].add(of_rank, busy_ns);
                 for (const trace::Operation& one : rank.started_by(event)) {
                   if (one.partner >= 0) sources.insert(one.partner);
                 }
               });
  for (const auto& [site, tally] : own) {
    if (tally.count() < kHotCalls ||
        static_cast<double>(tally.count()) < kManyOfAll * static_cast<double>(receives)) {
      continue;
    }
    found.sites[site].add(tally);
    found.most_sources = std::max<std::uint64_t>(found.most_sources, sources.size());
  }
}

/// Loops of MPI_Waitany at one call site.
struct WaitanySums {
  std::uint64_t loops = 0, calls = 0;
  std::int64_t in_calls_ns = 0, between_ns = 0;
};
struct WaitanyLoops {
  std::map<std::uint32_t, WaitanySums> sums;  ///< by site
  SiteTallies tallies;
};

template <class Archive>
void fields(Archive& archive, WaitanyLoops& of) {
  archive(of.sums, of.tallies);
}

void merge(const WaitanyLoops& later, WaitanyLoops& all) {
  for (const auto& [site, of] : later.sums) {
    WaitanySums& sum = all.sums[site];
    sum.loops += of.loops;
    sum.calls += of.calls;
    sum.in_calls_ns += of.in_calls_ns;
    sum.between_ns += of.between_ns;
  }
  merge(later.tallies, all.tallies);
}

void look_for_waitany(const PatternInput& of, std::uint32_t number, WaitanyLoops& found) {
  const Lane& lane = of.lanes.all[number];
  std::uint32_t site = kNone;  // of the current loop
  std::int64_t last_end = 0;
  for_calls_of(of, number,
               [&](std::uint32_t call, const trace::Event& event, const trace::Shape& shape,
                   std::int64_t busy_ns) {
                 if (shape.kind == EventKind::other) return;
                 const bool waits =
                     event.ended_count > 0 && function_name(of.trace, shape) == "MPI_Waitany";
                 if (!waits) {
                   site = kNone;
                   return;
                 }
                 const Call& at = lane.calls[call];
                 WaitanySums& sum = found.sums[shape.site];
                 if (site != shape.site) {
                   ++sum.loops;
                 } else {
                   sum.between_ns += at.begin - last_end;
                   found.tallies[shape.site].add(lane.rank, busy_ns);
                 }
                 ++sum.calls;
                 sum.in_calls_ns += at.end - at.begin;
                 site = shape.site;
                 last_end = at.end;
               });
}

/// Messages to one call site.
struct UnexpectedSums {
  std::uint64_t all = 0, late = 0, bytes = 0;  ///< bytes of the late ones

  void operator+=(const UnexpectedSums& other) {
    all += other.all;
    late += other.late;
    bytes += other.bytes;
  }
};
/// Messages whose receives were posted after they were sent.
struct Unexpected {
  std::map<std::uint32_t, UnexpectedSums> sums;  ///< by site
  SiteTallies tallies;
};

template <class Archive>
void fields(Archive& archive, Unexpected& of) {
  archive(of.sums, of.tallies);
}

void merge(const Unexpected& later, Unexpected& all) {
  for (const auto& [site, of] : later.sums) all.sums[site] += of;
  merge(later.tallies, all.tallies);
}

void look_for_unexpected(const PatternInput& of, std::uint32_t rank, Unexpected& found) {
  for (const trace::Operation& receive : of.trace.ranks[rank].operations) {
    if (receive.kind != trace::OperationKind::receive || receive.message == kNone) continue;
    const std::uint32_t sender = of.trace.messages[receive.message].sender;
    if (sender == rank) continue;
    const std::size_t between = of.trace.ranks[sender].node != of.trace.ranks[rank].node ? 1 : 0;
    const std::uint32_t site = of.trace.shapes[receive.shape].site;
    UnexpectedSums& sum = found.sums[site];
    ++sum.all;
    // Longer messages wait for their receive and are not unexpected.
    if (receive.bytes > of.waits.largest_buffered[between]) continue;
    const trace::Event& call = of.trace.start(rank, receive);
    if (call.begin < of.waits.messages->sender(receive.message).end) continue;
    ++sum.late;
    sum.bytes += receive.bytes;
    found.tallies[site].add(rank, call.end - call.begin);
  }
}

}  // namespace

void find_any_source(const PatternInput& of, Findings& findings) {
  if (std::ranges::find(of.trace.shapes, PLAIT_ANY_PEER, &trace::Shape::peer) ==
      of.trace.shapes.end()) {
    return;
  }
  const auto [sites, most_sources] = sum_lanes<FromAnySource>(
      of, [&](std::uint32_t lane, FromAnySource& found) { look_for_any_source(of, lane, found); });
  if (sites.empty()) return;
  PatternFinding finding = finding_at("any_source", sites);
  finding.what = "Receives use MPI_ANY_SOURCE in a hot path.";
  finding.evidence =
      fmt::format("{} receives from any source; one rank received from up to {} different ranks",
                  count_all(sites), most_sources);
  finding.remedy =
      most_sources == 1
          ? "All messages came from the same rank: name it as the source."
          : "Name the source: post one receive per sending rank in advance and complete them with "
            "MPI_Waitsome. The library then need not check all connections for each message.";
  findings.push_back(std::move(finding));
}

void find_waitany_loops(const PatternInput& of, Findings& findings) {
  if (!calls_any(of.trace, "MPI_Waitany")) return;
  WaitanyLoops all = sum_lanes<WaitanyLoops>(
      of, [&](std::uint32_t lane, WaitanyLoops& found) { look_for_waitany(of, lane, found); });
  std::uint64_t calls = 0;
  std::uint64_t loops = 0;
  std::erase_if(all.tallies, [&](const auto& entry) {
    const WaitanySums& sum = all.sums[entry.first];
    const bool named = entry.second.most() >= kHotCalls && sum.calls >= kLoopCalls * sum.loops &&
                       sum.between_ns < sum.in_calls_ns;
    if (named) {
      calls += sum.calls;
      loops += sum.loops;
    }
    return !named;
  });
  if (all.tallies.empty()) return;
  PatternFinding finding = finding_at("waitany_loop", all.tallies);
  finding.what = "MPI_Waitany completes requests one by one.";
  finding.evidence =
      fmt::format("{} calls in {} loops of {:.1f} calls, with little work in between", calls, loops,
                  static_cast<double>(calls) / static_cast<double>(loops));
  finding.remedy =
      "Use MPI_Waitall, or MPI_Waitsome to process messages as they arrive; they complete several "
      "requests in one call.";
  findings.push_back(std::move(finding));
}

void find_late_receives(const PatternInput& of, Findings& findings) {
  Unexpected all = sum_lanes<Unexpected>(of, [&](std::uint32_t number, Unexpected& found) {
    const Lane& lane = of.lanes.all[number];
    if (lane.stream == 0) look_for_unexpected(of, lane.rank, found);  // once for each rank
  });
  UnexpectedSums named;
  std::erase_if(all.tallies, [&](const auto& entry) {
    const UnexpectedSums& sum = all.sums[entry.first];
    if (entry.second.most() < kHotCalls ||
        static_cast<double>(sum.late) < kSystematic * static_cast<double>(sum.all)) {
      return true;
    }
    named += sum;
    return false;
  });
  PatternFinding finding = finding_at("late_receive", all.tallies);
  std::string senders;
  for (const RootCause& cause : of.causes) {
    if (cause.kind != "late posted receive" || cause.seconds < kCostlyShare * of.run_s) continue;
    senders += fmt::format("{}senders waited {} for receives of rank {}",
                           senders.empty() ? "" : "; ", format_seconds(cause.seconds), cause.rank);
    if (std::ranges::find(finding.ranks, cause.rank) == finding.ranks.end()) {
      finding.ranks.push_back(cause.rank);
    }
    if (cause.before_site != kNone &&
        std::ranges::find(finding.sites, cause.before_site) == finding.sites.end()) {
      finding.sites.push_back(cause.before_site);
    }
    finding.cost_s = std::max(finding.cost_s, cause.seconds);
  }
  if (all.tallies.empty() && senders.empty()) return;
  finding.what = "Receives are posted after their messages were sent.";
  if (!all.tallies.empty()) {
    finding.evidence = fmt::format(
        "{} of {} messages were unexpected, {} on average", named.late, named.all,
        format_bytes(static_cast<double>(named.bytes) / static_cast<double>(named.late)));
  }
  if (!senders.empty()) finding.evidence += (finding.evidence.empty() ? "" : "; ") + senders;
  finding.remedy =
      "Call MPI_Irecv before computing and before sending. An unexpected message is copied twice, "
      "and a message that waits for its receive blocks its sender.";
  findings.push_back(std::move(finding));
}

}  // namespace plait::analysis
