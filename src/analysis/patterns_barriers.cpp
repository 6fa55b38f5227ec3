// SPDX-License-Identifier: BSD-3-Clause
// Detects barriers that order nothing.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

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

/// Barriers by call site.
struct BarrierSites {
  SiteTallies idle;                               ///< those that order nothing
  std::map<std::uint32_t, std::uint64_t> all;     ///< calls
  std::map<std::uint32_t, std::uint64_t> beside;  ///< idle ones next to a call that also waits
};

template <class Archive>
void fields(Archive& archive, BarrierSites& of) {
  archive(of.idle, of.all, of.beside);
}

void merge(const BarrierSites& later, BarrierSites& sum) {
  merge(later.idle, sum.idle);
  for (const auto& [site, count] : later.all) sum.all[site] += count;
  for (const auto& [site, count] : later.beside) sum.beside[site] += count;
}

class Barriers {
public:
  explicit Barriers(const PatternInput& of) : of_(of), known_(of.trace.collectives.size()) {}

  void find(Findings& findings) {
    of_.shares.for_own([&](const IndexRange& lanes) {
      for (std::size_t lane = lanes.first; lane < lanes.last; ++lane) {
        look_at(static_cast<std::uint32_t>(lane));
      }
    });
    combine(of_.processes, known_, [](std::uint8_t later, std::uint8_t& sum) { sum |= later; });
    sites_ = sum_lanes<BarrierSites>(
        of_, [&](std::uint32_t lane, BarrierSites& sites) { count(lane, sites); });
    std::erase_if(sites_.idle, [&](const auto& entry) {
      return entry.second.most() < kHotBursts ||
             static_cast<double>(entry.second.count()) <
                 kNearlyAll * static_cast<double>(sites_.all[entry.first]);
    });
    if (!sites_.idle.empty()) findings.push_back(finding());
  }

private:
  // Facts about a barrier, each of which one member may find.
  static constexpr std::uint8_t kOrders = 1;  ///< something around it depends on order
  static constexpr std::uint8_t kNotSyncedBefore = 2, kNotSyncedAfter = 4;  ///< directly, by all

  /// The collective of a blocking call; kNone: none.
  [[nodiscard]] std::uint32_t collective_of(std::uint32_t rank, const trace::Event& event) const {
    if (of_.trace.shape(event).kind != EventKind::collective) return kNone;
    const auto started = of_.trace.ranks[rank].started_by(event);
    return started.empty() ? kNone : started.front().message;
  }
  [[nodiscard]] const std::string& function_of(std::uint32_t collective) const {
    return of_.trace.functions[of_.trace.shapes[of_.trace.collectives[collective].shape].function];
  }
  [[nodiscard]] bool is_barrier(std::uint32_t collective) const {
    return collective != kNone && function_of(collective) == "MPI_Barrier";
  }
  [[nodiscard]] bool makes_all_wait(std::uint32_t collective) const {
    const Gathering gathering = gathering_of(function_of(collective));
    return gathering == Gathering::n_to_n || gathering == Gathering::barrier;
  }

  /// True if the other collective call synchronizes all members of the barrier.
  [[nodiscard]] bool syncs(std::uint32_t barrier, std::uint32_t other) const {
    return other != kNone && makes_all_wait(other) &&
           of_.trace.collectives[barrier].comm == of_.trace.collectives[other].comm;
  }

  void set(std::uint32_t barrier, std::uint8_t fact) {
    std::atomic_ref(known_[barrier]).fetch_or(fact, std::memory_order_relaxed);
  }

  void look_at(std::uint32_t number) {
    const Lane& lane = of_.lanes.all[number];
    std::uint32_t last_barrier = kNone;
    std::uint32_t before = kNone;  // the call before, if it was collective
    bool depends = lane.stream != 0;
    for_calls_of(
        of_, number,
        [&](std::uint32_t, const trace::Event& event, const trace::Shape& shape, std::int64_t) {
          const std::uint32_t collective = collective_of(lane.rank, event);
          if (is_barrier(before) && !syncs(before, collective)) {
            set(before, kNotSyncedAfter);
          }
          if (is_barrier(collective)) {
            if (!syncs(collective, before)) set(collective, kNotSyncedBefore);
            if (depends) set(collective, kOrders);
            if (depends && last_barrier != kNone) set(last_barrier, kOrders);
            last_barrier = collective;
            depends = lane.stream != 0;
          } else {
            depends |= depends_on_order(shape);
          }
          before = collective;
        });
    if (depends && last_barrier != kNone) set(last_barrier, kOrders);
    if (is_barrier(before)) set(before, kNotSyncedAfter);
  }

  void count(std::uint32_t number, BarrierSites& sites) const {
    const Lane& lane = of_.lanes.all[number];
    for_calls_of(
        of_, number,
        [&](std::uint32_t call, const trace::Event& event, const trace::Shape& shape,
            std::int64_t busy_ns) {
          const std::uint32_t collective = collective_of(lane.rank, event);
          if (!is_barrier(collective)) return;
          ++sites.all[shape.site];
          const std::uint8_t known = known_[collective];
          if ((known & kOrders) != 0) return;
          // Without the barrier, ranks would wait in the adjacent call instead.
          const bool beside = (known & kNotSyncedBefore) == 0 || (known & kNotSyncedAfter) == 0;
          const Call& whole = lane.calls[call];
          sites.idle[shape.site].add(lane.rank, beside ? busy_ns : whole.end - whole.begin);
          sites.beside[shape.site] += beside ? 1 : 0;
        });
  }

  [[nodiscard]] PatternFinding finding() {
    PatternFinding finding = finding_at("idle_barrier", sites_.idle);
    std::uint64_t most = 0;
    std::uint64_t beside = 0;
    for (const auto& [site, tally] : sites_.idle) {
      most += tally.most();
      beside += sites_.beside[site];
    }
    finding.what = "Barriers order nothing that MPI does not already order.";
    finding.evidence = fmt::format(
        "{} barriers on one rank, without MPI_ANY_SOURCE, ready sends, one-sided calls or MPI "
        "files around them; {} are next to a collective call in which all ranks wait for all",
        most,
        format_percent(static_cast<double>(beside) / static_cast<double>(count_all(sites_.idle))));
    finding.remedy =
        "Remove them, unless they order something outside MPI (files, clocks): messages between "
        "two ranks do not overtake each other, and tags or communicators separate them.";
    return finding;
  }

  const PatternInput& of_;
  std::vector<std::uint8_t> known_;  // facts, by collective call
  BarrierSites sites_;
};

}  // namespace

void find_idle_barriers(const PatternInput& of, Findings& findings) {
  // Barriers order accesses to windows and files.
  if (calls_any(of.trace, "MPI_Win_") || calls_any(of.trace, "MPI_File_")) return;
  if (!calls_any(of.trace, "MPI_Barrier")) return;
  Barriers(of).find(findings);
}

}  // namespace plait::analysis
