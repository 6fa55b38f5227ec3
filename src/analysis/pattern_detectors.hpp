// SPDX-License-Identifier: BSD-3-Clause
// The detectors of patterns, their input and their counters.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
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

/// Calls that are fewer than this on every rank are not a hot path.
inline constexpr std::uint64_t kHotCalls = 100;
/// Patterns of whole iterations (barriers, bursts) must occur at least this often.
inline constexpr std::uint64_t kHotBursts = 10;
/// Patterns that are only a matter of cost are reported if a rank may lose this share of the run.
inline constexpr double kCostlyShare = 0.02;

/// Occurrences of a pattern at one call site, by rank. Add ranks in ascending order.
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
  [[nodiscard]] std::uint64_t most() const;  ///< largest count of a rank
  [[nodiscard]] double cost_s() const;

private:
  std::vector<OfRank> ranks_;
};
using SiteTallies = std::map<std::uint32_t, SiteTally>;

/// The number of occurrences at all sites.
std::uint64_t count_all(const SiteTallies& sites);

/// Sets ranks, sites and cost (of the rank with the highest cost) from all sites.
void set_places(const SiteTallies& sites, PatternFinding& finding);

/// A finding with its id, ranks, sites and cost.
PatternFinding finding_at(const char* id, const SiteTallies& sites);

/// The name of a shape's function; empty: unknown.
std::string function_name(const trace::Trace& trace, const trace::Shape& shape);

/// True if the program calls a function with the prefix.
bool calls_any(const trace::Trace& trace, std::string_view prefix);

/// Calls `use(call, event, shape, busy_s)` for the MPI calls of a lane; busy_s excludes waiting.
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

// Each detector appends its findings, if any.
using Findings = std::vector<PatternFinding>;
void find_any_source(const PatternInput& of, Findings& findings);
void find_waitany_loops(const PatternInput& of, Findings& findings);
void find_late_receives(const PatternInput& of, Findings& findings);
void find_idle_barriers(const PatternInput& of, Findings& findings);
void find_handmade_collectives(const PatternInput& of, Findings& findings);
void find_small_messages(const PatternInput& of, Findings& findings);
void find_slow_links(const PatternInput& of, Findings& findings);
void find_packing(const PatternInput& of, Findings& findings);
void find_no_overlap(const PatternInput& of, Findings& findings);
void find_chains(const PatternInput& of, Findings& findings);

}  // namespace plait::analysis
