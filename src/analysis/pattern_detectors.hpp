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
#include "analysis/shares.hpp"
#include "replay/network.hpp"

namespace plait::analysis {

struct PatternInput {
  const trace::Trace& trace;
  const Lanes& lanes;
  const Waits& waits;
  const std::vector<RootCause>& causes;  ///< of several processes, the first one has all
  std::optional<replay::Network> paths;  ///< as measured
  MeasuredProgress progress;
  double run_s = 0;
  Shares shares;  ///< of the lanes
  Processes* processes = nullptr;
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
    std::int64_t cost_ns = 0;
  };

  void add(std::uint32_t rank, std::int64_t cost_ns, std::uint64_t count = 1) {
    if (ranks_.empty() || ranks_.back().rank != static_cast<int>(rank)) {
      ranks_.push_back({static_cast<int>(rank), 0, 0});
    }
    ranks_.back().count += count;
    ranks_.back().cost_ns += cost_ns;
  }
  /// Adds the occurrences on the same ranks or later ones.
  void add(const SiteTally& later) {
    for (const OfRank& of : later.ranks_) {
      add(static_cast<std::uint32_t>(of.rank), of.cost_ns, of.count);
    }
  }
  [[nodiscard]] const std::vector<OfRank>& ranks() const { return ranks_; }
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] std::uint64_t most() const;  ///< largest count of a rank
  [[nodiscard]] std::int64_t cost_ns() const;

private:
  template <class Archive>
  friend void fields(Archive& archive, SiteTally& of) {
    archive(of.ranks_);
  }

  std::vector<OfRank> ranks_;
};
using SiteTallies = std::map<std::uint32_t, SiteTally>;

/// Adds the tallies of the same ranks or later ones.
template <class Key>
void merge(const std::map<Key, SiteTally>& later, std::map<Key, SiteTally>& sum) {
  for (const auto& [key, tally] : later) sum[key].add(tally);
}

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

/// Collective. Sums up the lanes of all processes.
/// @param Sum  has a function merge(later, sum); see Shares::sum
/// @param use  use(lane, sum): adds what is found on a lane, on several threads
template <class Sum, class Use>
Sum sum_lanes(const PatternInput& of, Use use) {
  return of.shares.sum(
      Sum(),
      [&](const IndexRange& lanes, Sum& sum) {
        for (std::size_t lane = lanes.first; lane < lanes.last; ++lane) {
          use(static_cast<std::uint32_t>(lane), sum);
        }
      },
      [](const Sum& later, Sum& sum) { merge(later, sum); });
}

/// Calls `use(call, event, shape, busy_ns)` for the MPI calls of an own lane; busy_ns excludes
/// waiting.
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
    use(call, *event, of.trace.shape(*event), std::max<std::int64_t>(0, busy));
  }
}

// Each detector appends its findings, if any. They are collective and use several threads; of
// several processes, the first one finds what is true.
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
