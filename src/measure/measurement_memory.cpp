// SPDX-License-Identifier: BSD-3-Clause
// The first part of a measurement: memory bandwidth and P(k) on 1..n cores.
#include <fmt/format.h>

#include <algorithm>

#include "measure/clock.hpp"
#include "measure/kernels.hpp"
#include "measure/measurement.hpp"
#include "measure/memory_speed.hpp"
#include "measure/pages.hpp"

namespace plait::measure {
namespace {

/// Part of the whole budget for STREAM and P(k); with no path to measure they have all of it.
constexpr double kMemoryShare = 0.32;
/// Of STREAM (eight figures) within that; the rest is P(k)'s (two figures).
constexpr double kStreamShare = 0.65;

/// The first, the last, then the others in their order: what is left out when time runs short is
/// what lies between.
std::vector<int> ends_first(std::vector<int> counts) {
  if (counts.size() > 2) std::rotate(counts.begin() + 1, counts.end() - 1, counts.end());
  return counts;
}

}  // namespace

void Measurement::memory() {
  const int n = static_cast<int>(cores_.size());
  const std::vector<int> counts = ends_first(core_counts(n, request_.quick ? 4 : 16));
  if (!has_non_temporal_stores(best_isa())) {
    notes.emplace_back("this processor's kernels have no stores that bypass the caches");
  }
  const std::uint64_t memory = memory_to_use();
  const std::uint64_t last_level = last_level_bytes(topology_, cores_);
  const int edge = jacobi_edge(last_level, memory);
  if (4 * last_level > memory) {
    notes.push_back(
        fmt::format("arrays are smaller than four times the last-level cache ({} MiB): "
                    "only {} MiB of memory are free to use; bandwidths may be those of "
                    "the cache",
                    last_level >> 20, memory >> 20));
  }
  std::vector<int> done;
  const double end_s = begin_s_ + (jobs_.empty() ? 0.95 : kMemoryShare) * budget_s_;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const int k = counts[i];
    // One core and all cores are always measured.
    if (i > 1 && now_s() > end_s) break;
    done.push_back(k);
    const std::vector<int> some(cores_.begin(), cores_.begin() + k);
    std::vector<int> pus;
    for (const int core : some) pus.push_back(topology_.allowed_pus_of(core).front());

    begin_part(fmt::format("STREAM, {} of {} threads", k, n));
    const double slice = slice_s(end_s, 1, static_cast<double>(counts.size() - i));
    const std::uint64_t array_bytes = stream_array_bytes(last_level_bytes(topology_, some), memory);
    const double stream_end_s = now_s() + kStreamShare * slice;
    for (machine::StreamResult& figure :
         measure_stream(pus, array_bytes, rounds(kStreamShare * slice), random_, disturbance)) {
      count(figure.gbs);
      result.stream.push_back(std::move(figure));
    }
    begin_part(fmt::format("Jacobi kernel, {} of {} cores", k, n));
    const double late_s = std::max(0.0, now_s() - stream_end_s);
    for (machine::JacobiResult& figure : measure_jacobi(
             pus, edge, rounds((1 - kStreamShare) * slice - late_s), random_, disturbance)) {
      count(figure.mlups);
      result.jacobi.push_back(std::move(figure));
    }
  }
  std::sort(done.begin(), done.end());
  if (static_cast<int>(done.size()) < n) {
    notes.push_back(fmt::format("memory speed measured on {} of {} numbers of cores: {}",
                                done.size(), n, fmt::join(done, ", ")));
  }
  std::stable_sort(result.stream.begin(), result.stream.end(),
                   [](const auto& a, const auto& b) { return a.threads < b.threads; });
  std::stable_sort(result.jacobi.begin(), result.jacobi.end(),
                   [](const auto& a, const auto& b) { return a.cores < b.cores; });
}

}  // namespace plait::measure
