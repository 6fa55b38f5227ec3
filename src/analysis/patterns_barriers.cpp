// SPDX-License-Identifier: BSD-3-Clause
// Barriers that order nothing.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/collective_arrivals.hpp"
#include "analysis/pattern_detectors.hpp"

namespace plait::analysis {
namespace {

using trace::EventKind;
using trace::kNone;

/// Of the barriers at one call site: so many must order nothing.
constexpr double kNearlyAll = 0.9;

/// Is any function called whose name begins so?
bool calls_any(const trace::Trace& trace, std::string_view prefix) {
  return std::ranges::any_of(trace.shapes, [&](const trace::Shape& shape) {
    return function_name(trace, shape).starts_with(prefix);
  });
}

/// Could it see or do something else if a barrier before or after it were not there? Messages
/// between two ranks do not overtake each other (MPI-4.1, section 3.5): what names its source does
/// not.
bool depends_on_order(const trace::Shape& shape) {
  return shape.kind == EventKind::kOneSided || shape.peer == PLAIT_ANY_PEER ||
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

  /// The collective call that a blocking call is; kNone: none.
  [[nodiscard]] std::uint32_t collective_of(std::uint32_t rank, const trace::Event& event) const {
    if (of_.trace.shape(event).kind != EventKind::kCollective) return kNone;
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
    return gathering == Gathering::kNxN || gathering == Gathering::kBarrier;
  }

  /// The other collective call holds the members of the barrier, and all wait for all in it.
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
                     // Who waits in it then waits in the call beside it.
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
    PatternFinding finding;
    finding.id = "idle_barrier";
    set_places(tallies_, finding);
    std::uint64_t most = 0;
    std::uint64_t count = 0;
    std::uint64_t beside = 0;
    for (const auto& [site, tally] : tallies_) {
      most += tally.most();
      count += tally.count();
      beside += beside_[site];
    }
    finding.what = "Barriers order nothing that MPI does not order by itself.";
    finding.evidence = fmt::format(
        "{} barriers on a rank with neither MPI_ANY_SOURCE, ready sends, one-sided calls nor MPI "
        "files around them; {:.0f} % directly beside a collective call in which all wait for all",
        most, 100 * static_cast<double>(beside) / static_cast<double>(count));
    finding.remedy =
        "Leave them out, unless they order something outside of MPI (files, clocks): messages "
        "between two ranks do not overtake each other, and tags or communicators keep them apart.";
    return finding;
  }

  const PatternInput& of_;
  std::vector<Known> known_;  // by collective call
  SiteTallies tallies_;
  std::map<std::uint32_t, std::uint64_t> beside_;
};

}  // namespace

void find_idle_barriers(const PatternInput& of, Findings& findings) {
  // Barriers order what goes through windows and files.
  if (calls_any(of.trace, "MPI_Win_") || calls_any(of.trace, "MPI_File_")) return;
  Barriers(of).find(findings);
}

}  // namespace plait::analysis
