// SPDX-License-Identifier: BSD-3-Clause
// The samples of call stacks on the page's timeline.
#include "report/timeline_samples.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "report/timeline_columns.hpp"
#include "report/timeline_windows.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
using samples::PlacedSample;
using samples::SampledLane;

std::vector<PlacedSample> samples_within(const SampledLane& lane, const TimelineWindow& run) {
  std::vector<PlacedSample> kept;
  for (const PlacedSample& of : lane.samples) {
    if (of.at >= run.begin && of.at <= run.end) kept.push_back(of);
  }
  return kept;
}

/// Columns: time (difference to the previous sample), node (difference), state, samples.
json columns_of(const std::vector<PlacedSample>& kept, std::int64_t begin, std::uint64_t step) {
  ColumnBytes times, nodes, states, counts;
  std::uint64_t count = 0;
  std::int64_t last_at = begin, last_node = 0;
  for (std::size_t i = 0; i < kept.size(); i += step, ++count) {
    const PlacedSample& of = kept[i];
    times.add_signed(of.at - std::exchange(last_at, of.at));
    nodes.add_signed(of.node - std::exchange(last_node, of.node));
    states.add(static_cast<std::uint64_t>(of.state));
    counts.add(of.samples);
  }
  return columns_to_json({count, joined({times, nodes, states, counts})});
}

/// A stream of a thread without events.
json stream_of_samples(const samples::SampledThread& thread, int tid) {
  const json nothing = columns_to_json({});
  return {{"tid", tid},
          {"omp_thread", thread.kind == "openmp" ? thread.thread : -1},
          {"calls", nothing},
          {"openmp", nothing},
          {"regions", nothing}};
}

}  // namespace

void add_samples(const trace::Trace& trace, const samples::TracedSamples& of_run, json& timeline,
                 std::uint64_t most) {
  const TimelineWindow run = run_of(trace);
  std::map<int, json*> streams_of;  // by world rank
  for (json& row : timeline.at("ranks")) {
    if (!row.contains("last_rank")) streams_of[row.at("rank").get<int>()] = &row.at("streams");
  }
  std::vector<std::vector<PlacedSample>> kept;
  std::uint64_t all = 0;
  for (const SampledLane& lane : of_run.lanes) {
    const int rank = trace.ranks[static_cast<std::size_t>(lane.rank)].world_rank;
    kept.push_back(streams_of.contains(rank) ? samples_within(lane, run)
                                             : std::vector<PlacedSample>{});
    all += kept.back().size();
  }
  const std::uint64_t step = std::max<std::uint64_t>(1, (all + most - 1) / most);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i].empty()) continue;
    const SampledLane& lane = of_run.lanes[i];
    json& streams = *streams_of.at(trace.ranks[static_cast<std::size_t>(lane.rank)].world_rank);
    std::size_t stream = lane.stream;
    if (lane.stream == trace::kNone) {
      stream = streams.size();
      streams.push_back(
          stream_of_samples(of_run.tree.threads[static_cast<std::size_t>(lane.thread)], lane.tid));
    }
    streams.at(stream)["samples"] = columns_of(kept[i], run.begin, step);
  }
  timeline["sample_ns"] = 1e9 / of_run.tree.rate_hz;
  timeline["sample_step"] = step;
}

}  // namespace plait::report
