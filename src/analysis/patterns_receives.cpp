// SPDX-License-Identifier: BSD-3-Clause
// Detects receives from any source, loops of Waitany, and receives posted after their message.
#include <fmt/format.h>

#include <algorithm>
#include <set>

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

}  // namespace

void find_any_source(const PatternInput& of, Findings& findings) {
  if (std::ranges::find(of.trace.shapes, PLAIT_ANY_PEER, &trace::Shape::peer) ==
      of.trace.shapes.end()) {
    return;
  }
  SiteTallies sites;
  std::size_t most_sources = 0;
  for (std::uint32_t number = 0; number < of.lanes.all.size(); ++number) {
    const std::uint32_t of_rank = of.lanes.all[number].rank;
    const trace::Rank& rank = of.trace.ranks[of_rank];
    std::uint64_t receives = 0;
    std::set<int> sources;
    SiteTallies own;
    for_calls_of(
        of, number,
        [&](std::uint32_t, const trace::Event& event, const trace::Shape& shape, double busy_s) {
          const bool probes = shape.kind == EventKind::probe;
          if (!probes && !starts_receive(rank, event)) return;
          ++receives;
          if (shape.peer != PLAIT_ANY_PEER) return;
          own[shape.site].add(of_rank, busy_s);
          for (const trace::Operation& one : rank.started_by(event)) {
            if (one.partner >= 0) sources.insert(one.partner);
          }
        });
    for (const auto& [site, tally] : own) {
      if (tally.count() < kHotCalls ||
          static_cast<double>(tally.count()) < kManyOfAll * static_cast<double>(receives)) {
        continue;
      }
      sites[site].add(of_rank, tally.cost_s(), tally.count());
      most_sources = std::max(most_sources, sources.size());
    }
  }
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
  struct Sums {
    std::uint64_t loops = 0, calls = 0;
    double in_calls_s = 0, between_s = 0;
  };
  std::map<std::uint32_t, Sums> sums;
  SiteTallies tallies;
  for (std::uint32_t number = 0; number < of.lanes.all.size(); ++number) {
    const Lane& lane = of.lanes.all[number];
    std::uint32_t site = kNone;  // of the current loop
    std::int64_t last_end = 0;
    for_calls_of(of, number,
                 [&](std::uint32_t call, const trace::Event& event, const trace::Shape& shape,
                     double busy_s) {
                   if (shape.kind == EventKind::other) return;
                   const bool waits =
                       event.ended_count > 0 && function_name(of.trace, shape) == "MPI_Waitany";
                   if (!waits) {
                     site = kNone;
                     return;
                   }
                   const Call& at = lane.calls[call];
                   Sums& sum = sums[shape.site];
                   if (site != shape.site) {
                     ++sum.loops;
                   } else {
                     sum.between_s += to_seconds(at.begin - last_end);
                     tallies[shape.site].add(lane.rank, busy_s);
                   }
                   ++sum.calls;
                   sum.in_calls_s += to_seconds(at.end - at.begin);
                   site = shape.site;
                   last_end = at.end;
                 });
  }
  std::uint64_t calls = 0;
  std::uint64_t loops = 0;
  std::erase_if(tallies, [&](const auto& entry) {
    const Sums& sum = sums[entry.first];
    const bool named = entry.second.most() >= kHotCalls && sum.calls >= kLoopCalls * sum.loops &&
                       sum.between_s < sum.in_calls_s;
    if (named) {
      calls += sum.calls;
      loops += sum.loops;
    }
    return !named;
  });
  if (tallies.empty()) return;
  PatternFinding finding = finding_at("waitany_loop", tallies);
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
  struct Sums {
    std::uint64_t all = 0, late = 0, bytes = 0;
  };
  std::map<std::uint32_t, Sums> sums;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> late;  // rank and operation
  for (const trace::Message& message : of.trace.messages) {
    if (message.sender == message.receiver) continue;
    const trace::Rank& receiver = of.trace.ranks[message.receiver];
    const trace::Operation& send = of.trace.ranks[message.sender].operations[message.send];
    const trace::Operation& receive = receiver.operations[message.receive];
    const std::size_t between = of.trace.ranks[message.sender].node != receiver.node ? 1 : 0;
    Sums& sum = sums[of.trace.shapes[receive.shape].site];
    ++sum.all;
    // Longer messages wait for their receive and are not unexpected.
    if (send.bytes > of.waits.largest_buffered[between]) continue;
    if (of.trace.start(message.receiver, receive).begin <
        of.trace.start(message.sender, send).end) {
      continue;
    }
    ++sum.late;
    sum.bytes += send.bytes;
    late.emplace_back(message.receiver, message.receive);
  }
  std::ranges::sort(late);
  SiteTallies tallies;
  for (const auto& [rank, number] : late) {
    const trace::Operation& receive = of.trace.ranks[rank].operations[number];
    const trace::Event& call = of.trace.start(rank, receive);
    tallies[of.trace.shapes[receive.shape].site].add(rank, to_seconds(call.end - call.begin));
  }
  Sums named;
  std::erase_if(tallies, [&](const auto& entry) {
    const Sums& sum = sums[entry.first];
    if (entry.second.most() < kHotCalls ||
        static_cast<double>(sum.late) < kSystematic * static_cast<double>(sum.all)) {
      return true;
    }
    named.all += sum.all;
    named.late += sum.late;
    named.bytes += sum.bytes;
    return false;
  });
  PatternFinding finding = finding_at("late_receive", tallies);
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
  if (tallies.empty() && senders.empty()) return;
  finding.what = "Receives are posted after their messages were sent.";
  if (!tallies.empty()) {
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
