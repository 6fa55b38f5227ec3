// SPDX-License-Identifier: BSD-3-Clause
// The samples of a run on the clock of its trace: by thread, and by phase.
#include "samples/on_trace.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "samples/sample_times.hpp"

namespace plait::samples {
namespace {

std::uint32_t stream_of(const trace::Rank& rank, int tid) {
  const auto at = std::ranges::find(rank.streams, tid, &trace::Stream::tid);
  return at == rank.streams.end() ? trace::kNone
                                  : static_cast<std::uint32_t>(at - rank.streams.begin());
}

/// The phase at a time, s since the begin of the run; -1: none.
int phase_at(const std::vector<SampledPhase>& phases, double at_s) {
  const auto next = std::ranges::upper_bound(phases, at_s, {}, &SampledPhase::begin_s);
  if (next == phases.begin() || at_s > std::prev(next)->end_s) return -1;
  return static_cast<int>(next - phases.begin()) - 1;
}

}  // namespace

std::vector<SampledLane> place_samples(const CallTree& tree, const trace::Trace& trace) {
  std::map<std::tuple<int, int, int>, SampledLane> lanes;  // by rank, thread and tid
  for (const SampleTime& of : tree.times) {
    const SampledThread& thread = tree.threads[static_cast<std::size_t>(of.thread)];
    if (thread.rank < 0 || static_cast<std::size_t>(thread.rank) >= trace.ranks.size()) continue;
    const trace::Rank& rank = trace.ranks[static_cast<std::size_t>(thread.rank)];
    if (rank.host.empty()) continue;
    const std::optional<std::int64_t> at = trace::without_cuts(trace, rank.clock(of.ticks));
    if (!at) continue;
    SampledLane& lane = lanes[{thread.rank, thread.thread, of.tid}];
    if (lane.samples.empty()) {
      lane.rank = static_cast<std::uint32_t>(thread.rank);
      lane.stream = stream_of(rank, of.tid);
      lane.thread = of.thread;
      lane.tid = of.tid;
    }
    lane.samples.push_back({*at, of.node, of.state, of.samples});
  }
  std::vector<SampledLane> placed;
  for (auto& [key, lane] : lanes) {
    std::ranges::stable_sort(lane.samples, {}, &PlacedSample::at);
    placed.push_back(std::move(lane));
  }
  return placed;
}

std::optional<TracedSamples> samples_on_trace(const std::filesystem::path& run_dir,
                                              const trace::Trace& trace) {
  if (!std::filesystem::exists(sample_times_file(run_dir))) return {};
  TracedSamples samples{read_samples(run_dir), {}};
  samples.lanes = place_samples(samples.tree, trace);
  if (samples.lanes.empty()) return {};
  return samples;
}

void count_phases(TracedSamples& samples, std::vector<SampledPhase> phases, std::int64_t begin_ns) {
  std::map<std::tuple<int, int, State, int>, std::uint64_t> counts;
  for (const SampledLane& lane : samples.lanes) {
    for (const PlacedSample& of : lane.samples) {
      const int phase = phase_at(phases, static_cast<double>(of.at - begin_ns) * 1e-9);
      if (phase >= 0) counts[{of.node, lane.thread, of.state, phase}] += of.samples;
    }
  }
  samples.tree.phases = std::move(phases);
  samples.tree.phase_counts.clear();
  for (const auto& [at, count] : counts) {
    const auto& [node, thread, state, phase] = at;
    samples.tree.phase_counts.push_back({node, thread, state, phase, count});
  }
}

}  // namespace plait::samples
