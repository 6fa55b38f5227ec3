// SPDX-License-Identifier: BSD-3-Clause
// Detects small messages that could be combined, packing, and chains of ranks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/pattern_detectors.hpp"
#include "replay/path_cost.hpp"
#include "text/units.hpp"

namespace plait::analysis {
namespace {

using trace::EventKind;
using trace::kNone;
using trace::OperationKind;

/// Fewest consecutive messages to one rank; fewer may go to neighbours that are the same rank.
constexpr std::uint32_t kBurst = 4;
/// Below this size latency dominates, if nothing was measured.
constexpr std::uint64_t kSmall = 1024;
/// Computation between two sends is short if it takes at most as long as the second send, or this
/// time, which is about a latency inside a node.
constexpr std::int64_t kLittleNs = 1000;

/// The size at which bandwidth and latency take equal time.
std::uint64_t small_below(const PatternInput& of) {
  if (!of.paths) return kSmall;
  const replay::Path& path =
      of.paths->between_nodes.known ? of.paths->between_nodes : of.paths->within_node;
  if (path.seconds_per_byte <= 0) return kSmall;
  return static_cast<std::uint64_t>(path.latency_s / path.seconds_per_byte);
}

/// Bursts of one lane: small sends to one rank without receives or much computation in between.
class Bursts {
public:
  Bursts(const PatternInput& of, std::uint32_t lane, std::uint64_t limit, SiteTallies& tallies)
      : of_(of), number_(lane), limit_(limit), tallies_(tallies), open_(of.trace.ranks.size()) {}

  void find() {
    const Lane& lane = of_.lanes.all[number_];
    const trace::Rank& rank = of_.trace.ranks[lane.rank];
    std::int64_t last_end = lane.begin;
    for_calls_of(of_, number_,
                 [&](std::uint32_t call, const trace::Event& event, const trace::Shape&,
                     std::int64_t busy_ns) {
                   const Call& at = lane.calls[call];
                   const auto started = rank.started_by(event);
                   const bool sends = started.size() == 1 &&
                                      started[0].kind == OperationKind::send &&
                                      started[0].partner >= 0 && started[0].bytes < limit_;
                   const std::int64_t little = std::max(kLittleNs, at.end - at.begin);
                   if (informs(rank, event) || at.begin - last_end > little) close();
                   if (sends) {
                     const auto to = static_cast<std::size_t>(started[0].partner);
                     if (open_[to].count++ == 0) partners_.push_back(to);
                     open_[to].ns += busy_ns;
                     open_[to].site = of_.trace.shapes[started[0].shape].site;
                   }
                   last_end = at.end;
                 });
    close();
    for (const auto& [site, sum] : later_) {
      tallies_[site].add(lane.rank, std::llround(sum.ns), sum.count);
    }
  }

private:
  struct Open {
    std::uint32_t count = 0, site = kNone;
    std::int64_t ns = 0;
  };
  /// Of the bursts at a site: all messages but the first one of each burst.
  struct Later {
    std::uint64_t count = 0;
    double ns = 0;
  };

  /// True if the next send may depend on data that the call received.
  static bool informs(const trace::Rank& rank, const trace::Event& event) {
    bool any = false;
    for_operations(rank, event, [&](const trace::Operation& operation) {
      const bool ended_here = operation.ended != kNone &&
                              &rank.streams[operation.end_stream].events[operation.ended] == &event;
      any = any || (operation.kind != OperationKind::send && ended_here);
    });
    return any;
  }

  void close() {
    for (const std::size_t to : partners_) {
      Open& of = open_[to];
      if (of.count >= kBurst) {
        Later& sum = later_[of.site];
        sum.count += of.count - 1;
        sum.ns += static_cast<double>(of.ns) * (of.count - 1) / of.count;
      }
      of = {};
    }
    partners_.clear();
  }

  const PatternInput& of_;
  std::uint32_t number_;
  std::uint64_t limit_;
  SiteTallies& tallies_;
  std::vector<Open> open_;  // by receiving rank
  std::vector<std::size_t> partners_;
  std::map<std::uint32_t, Later> later_;  // by site
};

/// Calls of MPI_Pack and MPI_Unpack.
struct Packing {
  SiteTallies tallies;
  std::uint64_t packs = 0, unpacks = 0;
};

template <class Archive>
void fields(Archive& archive, Packing& of) {
  archive(of.tallies, of.packs, of.unpacks);
}

void merge(const Packing& later, Packing& sum) {
  merge(later.tallies, sum.tallies);
  sum.packs += later.packs;
  sum.unpacks += later.unpacks;
}

void look_for_packing(const PatternInput& of, std::uint32_t number, Packing& found) {
  for_calls_of(
      of, number,
      [&](std::uint32_t, const trace::Event&, const trace::Shape& shape, std::int64_t busy_ns) {
        if (shape.kind != EventKind::other) return;
        const std::string name = function_name(of.trace, shape);
        const bool packing = name.starts_with("MPI_Pack") && !name.starts_with("MPI_Pack_size") &&
                             !name.starts_with("MPI_Pack_external_size");
        const bool unpacking = name.starts_with("MPI_Unpack");
        if (!packing && !unpacking) return;
        found.packs += packing ? 1 : 0;
        found.unpacks += unpacking ? 1 : 0;
        found.tallies[shape.site].add(of.lanes.all[number].rank, busy_ns);
      });
}

}  // namespace

void find_small_messages(const PatternInput& of, Findings& findings) {
  const std::uint64_t limit = small_below(of);
  auto tallies = sum_lanes<SiteTallies>(
      of, [&](std::uint32_t lane, SiteTallies& found) { Bursts(of, lane, limit, found).find(); });
  std::erase_if(tallies, [](const auto& entry) { return entry.second.most() < kHotCalls; });
  if (tallies.empty()) return;
  PatternFinding finding = finding_at("small_messages", tallies);
  finding.what = "Consecutive small messages to one rank could be combined.";
  finding.evidence = fmt::format(
      "{} messages of less than {} bytes, for which latency dominates, follow another one to the "
      "same rank with nothing received in between",
      count_all(tallies), limit);
  finding.remedy = "Send the data in one message, with a derived datatype or from one buffer.";
  findings.push_back(std::move(finding));
}

void find_packing(const PatternInput& of, Findings& findings) {
  if (!calls_any(of.trace, "MPI_Pack") && !calls_any(of.trace, "MPI_Unpack")) return;
  const auto [tallies, packs, unpacks] = sum_lanes<Packing>(
      of, [&](std::uint32_t lane, Packing& found) { look_for_packing(of, lane, found); });
  PatternFinding finding = finding_at("packing", tallies);
  const bool hot = std::ranges::any_of(
      tallies, [](const auto& entry) { return entry.second.most() >= kHotCalls; });
  if (!hot && finding.cost_s < kCostlyShare * of.run_s) return;
  finding.what = "Data is copied with MPI_Pack and MPI_Unpack.";
  finding.evidence = fmt::format("{} calls that pack, {} that unpack; {} on rank {}", packs,
                                 unpacks, format_seconds(finding.cost_s), finding.ranks.front());
  finding.remedy =
      "Send with a derived datatype that describes the data in place. Measure the effect: "
      "libraries differ.";
  findings.push_back(std::move(finding));
}

void find_chains(const PatternInput& of, Findings& findings) {
  for (const RootCause& cause : of.causes) {
    const auto ranks = static_cast<double>(std::max<std::size_t>(1, of.lanes.all.size()));
    if (cause.kind != "serialization" || cause.chain.size() < 2 ||
        cause.seconds / ranks < kCostlyShare * of.run_s) {
      continue;
    }
    PatternFinding finding;
    finding.id = "chain";
    finding.what = "Ranks work one after another, each waiting for a message.";
    finding.evidence = fmt::format("ranks {}: {} of waiting over all ranks",
                                   fmt::join(cause.chain, " -> "), format_seconds(cause.seconds));
    finding.cost_s = cause.seconds / ranks;
    finding.remedy =
        "Let ranks start at the same time: post receives first and send what others wait for "
        "before computing, exchange with non-blocking calls or MPI_Sendrecv, or split the work "
        "into pieces that form a pipeline.";
    finding.ranks = cause.chain;
    if (cause.before_site != kNone) finding.sites = {cause.before_site};
    findings.push_back(std::move(finding));
  }
}

}  // namespace plait::analysis
