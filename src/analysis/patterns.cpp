// SPDX-License-Identifier: BSD-3-Clause
// Runs all detectors of patterns, and implements their counters.
#include "analysis/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/pattern_detectors.hpp"

namespace plait::analysis {
namespace {

constexpr std::size_t kPlacesNamed = 8;

/// The `n` keys with the largest values.
template <class Key>
std::vector<Key> largest(const std::map<Key, std::int64_t>& values, std::size_t n) {
  std::vector<std::pair<Key, std::int64_t>> order(values.begin(), values.end());
  std::ranges::stable_sort(order, std::ranges::greater{}, &std::pair<Key, std::int64_t>::second);
  std::vector<Key> keys;
  for (std::size_t i = 0; i < std::min(n, order.size()); ++i) keys.push_back(order[i].first);
  return keys;
}

}  // namespace

std::uint64_t SiteTally::count() const {
  return std::accumulate(ranks_.begin(), ranks_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const OfRank& rank) { return sum + rank.count; });
}

std::uint64_t SiteTally::most() const {
  std::uint64_t most = 0;
  for (const OfRank& rank : ranks_) most = std::max(most, rank.count);
  return most;
}

std::int64_t SiteTally::cost_ns() const {
  return std::accumulate(ranks_.begin(), ranks_.end(), std::int64_t{0},
                         [](std::int64_t sum, const OfRank& rank) { return sum + rank.cost_ns; });
}

void set_places(const SiteTallies& sites, PatternFinding& finding) {
  std::map<int, std::int64_t> by_rank;
  std::map<std::uint32_t, std::int64_t> by_site;
  for (const auto& [site, tally] : sites) {
    by_site[site] += tally.cost_ns();
    for (const SiteTally::OfRank& rank : tally.ranks()) by_rank[rank.rank] += rank.cost_ns;
  }
  finding.ranks = largest(by_rank, kPlacesNamed);
  finding.sites = largest(by_site, kPlacesNamed);
  for (const auto& [rank, cost_ns] : by_rank) {
    finding.cost_s = std::max(finding.cost_s, to_seconds(cost_ns));
  }
}

std::uint64_t count_all(const SiteTallies& sites) {
  std::uint64_t count = 0;
  for (const auto& [site, tally] : sites) count += tally.count();
  return count;
}

PatternFinding finding_at(const char* id, const SiteTallies& sites) {
  PatternFinding finding;
  finding.id = id;
  set_places(sites, finding);
  return finding;
}

std::string function_name(const trace::Trace& trace, const trace::Shape& shape) {
  return shape.function < trace.functions.size() ? trace.functions[shape.function] : "";
}

bool calls_any(const trace::Trace& trace, std::string_view prefix) {
  return std::ranges::any_of(trace.shapes, [&](const trace::Shape& shape) {
    return function_name(trace, shape).starts_with(prefix);
  });
}

std::vector<PatternFinding> find_patterns(const trace::Trace& trace, const Lanes& lanes,
                                          const Waits& waits, const std::vector<RootCause>& causes,
                                          const machine::Measured* measured, const RunMpi& mpi,
                                          unsigned threads, Processes* processes) {
  const std::optional<replay::Network> paths = paths_of(measured);
  const PatternInput of{trace,
                        lanes,
                        waits,
                        causes,
                        paths,
                        MeasuredProgress(measured, paths, mpi),
                        to_seconds(lanes.end - lanes.begin),
                        Shares(lanes.shares, processes, threads),
                        processes};
  Findings findings;
  if (of.run_s <= 0) return findings;
  for (const auto detector : {find_any_source, find_waitany_loops, find_late_receives,
                              find_idle_barriers, find_handmade_collectives, find_small_messages,
                              find_packing, find_no_overlap, find_chains, find_slow_links}) {
    detector(of, findings);
  }
  std::ranges::stable_sort(findings, std::ranges::greater{}, &PatternFinding::cost_s);
  return findings;
}

}  // namespace plait::analysis
