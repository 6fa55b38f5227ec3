// SPDX-License-Identifier: BSD-3-Clause
// What is sent: many small messages that could be one, packing, chains of ranks.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/pattern_detectors.hpp"
#include "replay/path_cost.hpp"

namespace plait::analysis {
namespace {

using trace::EventKind;
using trace::kNone;
using trace::OperationKind;

/// Messages to one rank that follow each other; fewer are neighbours that happen to be one rank.
constexpr std::uint32_t kBurst = 4;
/// Below it latency sets the time where nothing was measured.
constexpr std::uint64_t kSmall = 1024;
/// Computation between two sends is little when it is no longer than the second of them, or this:
/// about a latency within a node. Short sends, and what stands between them, are close to it.
constexpr std::int64_t kLittleNs = 1000;

/// The size at which the bytes take as long as the latency does.
std::uint64_t small_below(const PatternInput& of) {
  if (!of.paths) return kSmall;
  const replay::Path& path =
      of.paths->between_nodes.known ? of.paths->between_nodes : of.paths->within_node;
  if (path.seconds_per_byte <= 0) return kSmall;
  return static_cast<std::uint64_t>(path.latency_s / path.seconds_per_byte);
}

/// Bursts of one lane: small sends to one rank with nothing received, and little done, between.
class Bursts {
public:
  Bursts(const PatternInput& of, std::uint32_t lane, std::uint64_t limit, SiteTallies& tallies)
      : of_(of), number_(lane), limit_(limit), tallies_(tallies), open_(of.trace.ranks.size()) {}

  void find() {
    const Lane& lane = of_.lanes.all[number_];
    const trace::Rank& rank = of_.trace.ranks[lane.rank];
    std::int64_t last_end = lane.begin;
    for_calls_of(
        of_, number_,
        [&](std::uint32_t call, const trace::Event& event, const trace::Shape&, double busy_s) {
          const Call& at = lane.calls[call];
          const auto started = rank.started_by(event);
          const bool sends = started.size() == 1 && started[0].kind == OperationKind::kSend &&
                             started[0].partner >= 0 && started[0].bytes < limit_;
          const std::int64_t little = std::max(kLittleNs, at.end - at.begin);
          if (informs(rank, event) || at.begin - last_end > little) close();
          if (sends) {
            const auto to = static_cast<std::size_t>(started[0].partner);
            if (open_[to].count++ == 0) partners_.push_back(to);
            open_[to].seconds += busy_s;
            open_[to].site = of_.trace.shapes[started[0].shape].site;
          }
          last_end = at.end;
        });
    close();
  }

private:
  struct Open {
    std::uint32_t count = 0, site = kNone;
    double seconds = 0;
  };

  /// May what a call brings be what is sent next?
  static bool informs(const trace::Rank& rank, const trace::Event& event) {
    bool any = false;
    for_operations(rank, event, [&](const trace::Operation& operation) {
      const bool ended_here = operation.ended != kNone &&
                              &rank.streams[operation.end_stream].events[operation.ended] == &event;
      any = any || (operation.kind != OperationKind::kSend && ended_here);
    });
    return any;
  }

  void close() {
    const Lane& lane = of_.lanes.all[number_];
    for (const std::size_t to : partners_) {
      Open& of = open_[to];
      if (of.count >= kBurst) {
        tallies_[of.site].add(lane.rank, of.seconds * (of.count - 1) / of.count, of.count - 1);
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
};

}  // namespace

void find_small_messages(const PatternInput& of, Findings& findings) {
  const std::uint64_t limit = small_below(of);
  SiteTallies tallies;
  for (std::uint32_t lane = 0; lane < of.lanes.all.size(); ++lane) {
    Bursts(of, lane, limit, tallies).find();
  }
  std::erase_if(tallies, [](const auto& entry) { return entry.second.most() < kHotCalls; });
  if (tallies.empty()) return;
  PatternFinding finding;
  finding.id = "small_messages";
  set_places(tallies, finding);
  std::uint64_t count = 0;
  for (const auto& [site, tally] : tallies) count += tally.count();
  finding.what = "Many small messages to the same rank follow each other and could be one.";
  finding.evidence = fmt::format(
      "{} messages of less than {} bytes, where latency sets the time, beside one that goes the "
      "same way; nothing is received between them",
      count, limit);
  finding.remedy = "One message with all of it: a derived datatype, or one buffer.";
  findings.push_back(std::move(finding));
}

void find_packing(const PatternInput& of, Findings& findings) {
  SiteTallies tallies;
  std::uint64_t packs = 0;
  std::uint64_t unpacks = 0;
  for (std::uint32_t number = 0; number < of.lanes.all.size(); ++number) {
    for_calls_of(of, number,
                 [&](std::uint32_t, const trace::Event&, const trace::Shape& shape, double busy_s) {
                   if (shape.kind != EventKind::kOther) return;
                   const std::string name = function_name(of.trace, shape);
                   const bool packing = name.starts_with("MPI_Pack") &&
                                        !name.starts_with("MPI_Pack_size") &&
                                        !name.starts_with("MPI_Pack_external_size");
                   const bool unpacking = name.starts_with("MPI_Unpack");
                   if (!packing && !unpacking) return;
                   packs += packing ? 1 : 0;
                   unpacks += unpacking ? 1 : 0;
                   tallies[shape.site].add(of.lanes.all[number].rank, busy_s);
                 });
  }
  PatternFinding finding;
  set_places(tallies, finding);
  const bool hot = std::ranges::any_of(
      tallies, [](const auto& entry) { return entry.second.most() >= kHotCalls; });
  if (!hot && finding.cost_s < kDearShare * of.run_s) return;
  finding.id = "packing";
  finding.what = "Data are packed and unpacked by MPI_Pack and MPI_Unpack.";
  finding.evidence = fmt::format("{} calls that pack, {} that unpack, {:.3g} s on rank {}", packs,
                                 unpacks, finding.cost_s, finding.ranks.front());
  finding.remedy =
      "Send with a derived datatype that describes the data where they are; measure it, libraries "
      "differ.";
  findings.push_back(std::move(finding));
}

void find_chains(const PatternInput& of, Findings& findings) {
  for (const RootCause& cause : of.causes) {
    const auto ranks = static_cast<double>(std::max<std::size_t>(1, of.lanes.all.size()));
    if (cause.kind != "serialization" || cause.chain.size() < 2 ||
        cause.seconds / ranks < kDearShare * of.run_s) {
      continue;
    }
    PatternFinding finding;
    finding.id = "chain";
    finding.what = "Ranks work one after the other, each waits for a message of the one before.";
    finding.evidence = fmt::format("ranks {}: {:.3g} s of waiting over all ranks",
                                   fmt::join(cause.chain, " -> "), cause.seconds);
    finding.cost_s = cause.seconds / ranks;
    finding.remedy =
        "Let ranks begin at the same time: post receives first and send what others wait for "
        "before the own work, exchange with non-blocking calls or MPI_Sendrecv, or cut the work "
        "into pieces that follow each other along the chain.";
    finding.ranks = cause.chain;
    if (cause.before_site != kNone) finding.sites = {cause.before_site};
    findings.push_back(std::move(finding));
  }
}

}  // namespace plait::analysis
