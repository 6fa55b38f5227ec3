// SPDX-License-Identifier: BSD-3-Clause
// The roofline model: speed by operations per byte, below what memory and cores permit.
#include "report/roofline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "machine/machine_file.hpp"
#include "report/derived_figures.hpp"
#include "report/event_counts.hpp"
#include "report/machine_bound.hpp"

namespace plait::report {
namespace {

/// The points of regions, which the derived figures have.
std::vector<RooflinePoint> region_points(const Counters& counters) {
  std::vector<RooflinePoint> points;
  for (const DerivedFigure& intensity : counters.derived) {
    if (intensity.id != "operational_intensity") continue;
    const auto speed = std::ranges::find_if(counters.derived, [&](const DerivedFigure& figure) {
      return figure.id == "floating_point_speed" && figure.region == intensity.region;
    });
    if (speed == counters.derived.end()) continue;
    points.push_back({-1, intensity.region, intensity.value, speed->value});
  }
  return points;
}

/// Counts of a rank between MPI calls, and the times of its threads.
struct RankCounts {
  EventCounts counts;
  std::map<int, double> threads_s;  ///< by tid
};

std::vector<RooflinePoint> rank_points(const Counters& counters) {
  std::map<int, RankCounts> ranks;
  for (const CounterRow& row : counters.threads) {
    RankCounts& of = ranks[row.rank];
    of.threads_s[row.tid] += row.outside_s;
    for (const auto& [name, count] : event_counts(counters.events, row.outside))
      of.counts[name] += count;
  }
  const std::set<std::pair<int, int>> computing = computing_threads(counters);
  std::vector<RooflinePoint> points;
  for (const auto& [rank, of] : ranks) {
    const auto bytes = memory_bytes(of.counts), operations = floating_point_operations(of.counts);
    ElapsedTime elapsed;
    for (const auto& [tid, thread_s] : of.threads_s) {
      elapsed.add(computing.contains({rank, tid}), thread_s);
    }
    const double seconds = elapsed.seconds();
    if (!bytes || !operations || *bytes <= 0 || seconds <= 0) continue;
    points.push_back({rank, "", *operations / *bytes, *operations / seconds * 1e-9});
  }
  return points;
}

/// The bandwidth of all cores, and of one.
std::vector<RooflineBound> bounds_of(const machine::MachineFile* machine) {
  const machine::StreamResult* const best = best_stream(machine);
  const machine::StreamResult* const of_one = best_stream(machine, 1);
  std::vector<RooflineBound> bounds;
  if (best != nullptr) bounds.push_back({stream_name(*best), best->gbs.median});
  if (of_one != nullptr && of_one != best) {
    bounds.push_back({stream_name(*of_one), of_one->gbs.median});
  }
  return bounds;
}

/// The peak of all cores, and of one.
std::vector<RooflinePeak> peaks_of(const machine::MachineFile* machine) {
  const machine::PeakResult* const best = best_peak(machine);
  const machine::PeakResult* const of_one = best_peak(machine, 1);
  std::vector<RooflinePeak> peaks;
  if (best != nullptr) peaks.push_back({peak_name(*best), best->gflops.median});
  if (of_one != nullptr && of_one != best) {
    peaks.push_back({peak_name(*of_one), of_one->gflops.median});
  }
  return peaks;
}

/// What a point needs and was not counted.
std::vector<std::string> uncounted(const Counters& counters) {
  const auto counts = counters.regions.empty()
                          ? EventCounts{}
                          : event_counts(counters.events, counters.regions.front().outside);
  std::vector<std::string> parts;
  if (!floating_point_operations(counts)) {
    parts.emplace_back(
        "floating-point operations (on Intel r01c7, r02c7, r04c7, r08c7, r10c7, r20c7, r40c7 and "
        "r80c7, on AMD r0f03)");
  }
  if (!memory_bytes(counts)) parts.emplace_back("memory traffic (cache-misses)");
  return parts;
}

}  // namespace

Roofline roofline_of(const Counters& counters, const machine::MachineFile* machine) {
  Roofline of;
  if (counters.events.empty()) return of;
  of.points = region_points(counters);
  for (RooflinePoint& point : rank_points(counters)) of.points.push_back(std::move(point));
  of.bounds = bounds_of(machine);
  of.peaks = peaks_of(machine);
  if (const std::vector<std::string> parts = uncounted(counters); !parts.empty()) {
    of.missing =
        fmt::format("The roofline chart needs counts of {}.", fmt::join(parts, " and of "));
  } else if (of.bounds.empty() || of.peaks.empty()) {
    of.missing =
        "The bounds of the roofline need the bandwidth of the machine's memory and the peak of its "
        "cores, which plait measure measures.";
  }
  return of;
}

}  // namespace plait::report
