// SPDX-License-Identifier: BSD-3-Clause
// Detects barriers that order nothing.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/collective_arrivals.hpp"
#include "analysis/pattern_detectors.hpp"
#include "text/units.hpp"

namespace plait::analysis {
namespace {

using trace::EventKind;
using trace::kNone;

/// Fraction of the barriers at one call site that must order nothing.
constexpr double kNearlyAll = 0.9;

/// True if the result of a call can depend on a barrier before or after it. Messages between two
/// ranks do not overtake each other (MPI-4.1, section 3.5), so calls with a named source do not.
bool depends_on_order(const trace::Shape& shape) {
  return shape.kind == EventKind::one_sided || shape.peer == PLAIT_ANY_PEER ||
         (shape.flags & PLAIT_SHAPE_READY) != 0;
}

class Barriers {
public:
  explicit Barriers(const PatternInput& of) : of_(of), known_(of.trace.collectives.size()) {}

  void find(Findings& findings) {
    for (std::uint32_t lane = 0; lane < of_.lanes.all.size(); ++lane) look_at(lane);
    count();
    if (!tallies_.empty()) findings.push_back(finding());
  }

private:
  struct Known {
    bool barrier = false;
    bool orders = false;                             ///< something around it depends on order
    bool synced_before = true, synced_after = true;  ///< directly, by all members
  };

  /// The collective of a blocking call; kNone: none.
  [[nodiscard]] std::uint32_t collective_of(std::uint32_t rank, const trace::Event& event) const {
    if (of_.trace.shape(event).kind != EventKind::collective) return kNone;
    const auto started = of_.trace.ranks[rank].started_by(event);
    return started.empty() ? kNone : started.front().message;
  }
  [[nodiscard]] bool is_barrier(std::uint32_t collective) const {
    return of_.trace
               .functions[of_.trace.shapes[of_.trace.collectives[collective].shape].function] ==
           "MPI_Barrier";
  }
  [[nodiscard]] bool makes_all_wait(std::uint32_t collective) const {
    const Gathering gathering = gathering_of(
        of_.trace.functions[of_.trace.shapes[of_.trace.collectives[collective].shape].function]);
    return gathering == Gathering::n_to_n || gathering == Gathering::barrier;
  }

  /// True if the other collective call synchronizes all members of the barrier.
  [[nodiscard]] bool syncs(std::uint32_t barrier, std::uint32_t other) const {
    return other != kNone && makes_all_wait(other) &&
           of_.trace.collectives[barrier].comm == of_.trace.collectives[other].comm;
  }

  void look_at(std::uint32_t number) {
    const Lane& lane = of_.lanes.all[number];
    std::uint32_t last_barrier = kNone;
    std::uint32_t before = kNone;  // the call before, if it was collective
    bool depends = lane.stream != 0;
    for_calls_of(of_, number,
                 [&](std::uint32_t, const trace::Event& event, const trace::Shape& shape, double) {
                   const std::uint32_t collective = collective_of(lane.rank, event);
                   if (before != kNone && known_[before].barrier && !syncs(before, collective)) {
                     known_[before].synced_after = false;
                   }
                   if (collective != kNone && is_barrier(collective)) {
                     Known& at = known_[collective];
                     at.barrier = true;
                     at.synced_before &= syncs(collective, before);
                     at.orders |= depends;
                     if (last_barrier != kNone) known_[last_barrier].orders |= depends;
                     last_barrier = collective;
                     depends = lane.stream != 0;
                   } else {
                     depends |= depends_on_order(shape);
                   }
                   before = collective;
                 });
    if (last_barrier != kNone) known_[last_barrier].orders |= depends;
    if (before != kNone && known_[before].barrier) known_[before].synced_after = false;
  }

  void count() {
    std::map<std::uint32_t, std::uint64_t> all;
    for (std::uint32_t number = 0; number < of_.lanes.all.size(); ++number) {
      const Lane& lane = of_.lanes.all[number];
      for_calls_of(of_, number,
                   [&](std::uint32_t call, const trace::Event& event, const trace::Shape& shape,
                       double busy_s) {
                     const std::uint32_t collective = collective_of(lane.rank, event);
                     if (collective == kNone || !known_[collective].barrier) return;
                     ++all[shape.site];
                     const Known& at = known_[collective];
                     if (at.orders) return;
                     // Without the barrier, ranks would wait in the adjacent call instead.
                     const bool beside = at.synced_before || at.synced_after;
                     const Call& whole = lane.calls[call];
                     tallies_[shape.site].add(
                         lane.rank, beside ? busy_s : to_seconds(whole.end - whole.begin));
                     beside_[shape.site] += beside ? 1 : 0;
                   });
    }
    std::erase_if(tallies_, [&](const auto& entry) {
      return entry.second.most() < kHotBursts ||
             static_cast<double>(entry.second.count()) <
                 kNearlyAll * static_cast<double>(all[entry.first]);
    });
  }

  [[nodiscard]] PatternFinding finding() {
    PatternFinding finding = finding_at("idle_barrier", tallies_);
    std::uint64_t most = 0;
    std::uint64_t beside = 0;
    for (const auto& [site, tally] : tallies_) {
      most += tally.most();
      beside += beside_[site];
    }
    finding.what = "Barriers order nothing that MPI does not already order.";
    finding.evidence = fmt::format(
        "{} barriers on one rank, without MPI_ANY_SOURCE, ready sends, one-sided calls or MPI "
        "files around them; {} are next to a collective call in which all ranks wait for all",
        most,
        format_percent(static_cast<double>(beside) / static_cast<double>(count_all(tallies_))));
    finding.remedy =
        "Remove them, unless they order something outside MPI (files, clocks): messages between "
        "two ranks do not overtake each other, and tags or communicators separate them.";
    return finding;
  }

  const PatternInput& of_;
  std::vector<Known> known_;  // by collective call
  SiteTallies tallies_;
  std::map<std::uint32_t, std::uint64_t> beside_;
};

}  // namespace

void find_idle_barriers(const PatternInput& of, Findings& findings) {
  // Barriers order accesses to windows and files.
  if (calls_any(of.trace, "MPI_Win_") || calls_any(of.trace, "MPI_File_")) return;
  if (!calls_any(of.trace, "MPI_Barrier")) return;
  Barriers(of).find(findings);
}

}  // namespace plait::analysis
