// SPDX-License-Identifier: BSD-3-Clause
// What the detectors of patterns look at, how they count, and what they are called.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/lanes.hpp"
#include "analysis/measured_progress.hpp"
#include "analysis/patterns.hpp"
#include "replay/network.hpp"

namespace plait::analysis {

struct PatternInput {
  const trace::Trace& trace;
  const Lanes& lanes;
  const Waits& waits;
  const std::vector<RootCause>& causes;
  std::optional<replay::Network> paths;  ///< as measured
  MeasuredProgress progress;
  double run_s = 0;
};

/// What calls are fewer than this on every rank are no hot path.
inline constexpr std::uint64_t kHotCalls = 100;
/// Patterns that show in whole iterations (barriers, bursts) count from here on.
inline constexpr std::uint64_t kHotBursts = 10;
/// Patterns that are costly rather than wrong are named when a rank may lose this much of the run.
inline constexpr double kDearShare = 0.02;

/// A pattern at one call site, by rank. Ranks are added in ascending order.
class SiteTally {
public:
  struct OfRank {
    int rank = 0;
    std::uint64_t count = 0;
    double cost_s = 0;
  };

  void add(std::uint32_t rank, double cost_s, std::uint64_t count = 1) {
    if (ranks_.empty() || ranks_.back().rank != static_cast<int>(rank)) {
      ranks_.push_back({static_cast<int>(rank), 0, 0});
    }
    ranks_.back().count += count;
    ranks_.back().cost_s += cost_s;
  }
  [[nodiscard]] const std::vector<OfRank>& ranks() const { return ranks_; }
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] std::uint64_t most() const;  ///< count of one rank
  [[nodiscard]] double cost_s() const;

private:
  std::vector<OfRank> ranks_;
};
using SiteTallies = std::map<std::uint32_t, SiteTally>;

/// Fills ranks, sites and cost (of the rank that pays most) from all these sites.
void set_places(const SiteTallies& sites, PatternFinding& finding);

/// The name of an event's function.
std::string function_name(const trace::Trace& trace, const trace::Shape& shape);

inline double to_seconds(std::int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

/// Calls `use(call, event, shape, busy_s)` for the MPI calls of a lane; busy: less its waiting.
template <class Use>
void for_calls_of(const PatternInput& of, std::uint32_t number, Use use) {
  const Lane& lane = of.lanes.all[number];
  const std::vector<Wait>& waits = of.waits.of[number];
  std::size_t next = 0;
  for (std::uint32_t call = 0; call < lane.calls.size(); ++call) {
    std::int64_t busy = lane.calls[call].end - lane.calls[call].begin;
    while (next < waits.size() && waits[next].call < call) ++next;
    if (next < waits.size() && waits[next].call == call)
      busy -= waits[next].end - waits[next].begin;
    const trace::Event* event = event_of(of.trace, lane, call);
    if (event == nullptr) continue;
    use(call, *event, of.trace.shape(*event), to_seconds(std::max<std::int64_t>(0, busy)));
  }
}

// Each adds its findings, if any.
using Findings = std::vector<PatternFinding>;
void find_any_source(const PatternInput& of, Findings& findings);
void find_waitany_loops(const PatternInput& of, Findings& findings);
void find_late_receives(const PatternInput& of, Findings& findings);
void find_idle_barriers(const PatternInput& of, Findings& findings);
void find_handmade_collectives(const PatternInput& of, Findings& findings);
void find_small_messages(const PatternInput& of, Findings& findings);
void find_packing(const PatternInput& of, Findings& findings);
void find_no_overlap(const PatternInput& of, Findings& findings);
void find_chains(const PatternInput& of, Findings& findings);

}  // namespace plait::analysis
