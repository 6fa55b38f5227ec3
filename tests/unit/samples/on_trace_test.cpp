// SPDX-License-Identifier: BSD-3-Clause
// Samples on the clock of a trace, and their counts by phase.
#include "samples/on_trace.hpp"

#include <gtest/gtest.h>

#include "made_tree.hpp"
#include "samples/hot_spots.hpp"
#include "samples/sample_times.hpp"

namespace plait::samples {
namespace {

/// Two ranks whose clocks begin at different ticks and count in steps of 2 ns.
trace::Trace made_trace() {
  trace::Trace trace;
  trace.ranks.resize(2);
  for (int rank = 0; rank < 2; ++rank) {
    trace::Rank& of = trace.ranks[static_cast<std::size_t>(rank)];
    of.world_rank = rank;
    of.host = "n0";
    of.clock = {rank == 0 ? 1000u : 5000u, 100, 2};
    of.streams.resize(1);
    of.streams[0].tid = 70 + rank;
  }
  return trace;
}

CallTree timed_tree() {
  CallTree tree = test::made_tree();
  // Node 2 is in element(), node 5 in solve().
  tree.times = {{1500, 5, 0, 70, State::code, 2},
                {1100, 2, 0, 70, State::code, 1},
                {4000, 2, 1, 71, State::code, 1},
                {5000, 2, 1, 99, State::mpi, 1}};
  return tree;
}

TEST(OnTrace, samples_are_placed_by_rank_and_thread) {
  const std::vector<SampledLane> lanes = place_samples(timed_tree(), made_trace());
  ASSERT_EQ(lanes.size(), 3);
  EXPECT_EQ(lanes[0].rank, 0u);
  EXPECT_EQ(lanes[0].stream, 0u);
  ASSERT_EQ(lanes[0].samples.size(), 2);
  EXPECT_EQ(lanes[0].samples[0].at, 300);  // 100 ns + 2 ns * 100
  EXPECT_EQ(lanes[0].samples[0].node, 2);
  EXPECT_EQ(lanes[0].samples[1].at, 1100);
  EXPECT_EQ(lanes[0].samples[1].samples, 2u);
  EXPECT_EQ(lanes[1].rank, 1u);
  EXPECT_EQ(lanes[1].samples.at(0).at, -1900);
  // A thread without events.
  EXPECT_EQ(lanes[2].stream, trace::kNone);
  EXPECT_EQ(lanes[2].tid, 99);
  EXPECT_EQ(lanes[2].samples.at(0).at, 100);
  EXPECT_EQ(lanes[2].samples.at(0).state, State::mpi);
}

TEST(OnTrace, ranks_without_events_have_no_lanes) {
  trace::Trace trace = made_trace();
  trace.ranks[1].host.clear();
  CallTree tree = timed_tree();
  EXPECT_EQ(place_samples(tree, trace).size(), 1);
  tree.threads[0].rank = -1;
  tree.threads[1].rank = 2;
  EXPECT_TRUE(place_samples(tree, trace).empty());
}

TEST(OnTrace, times_beyond_all_clocks_are_clamped) {
  CallTree tree = timed_tree();
  tree.times = {{~std::uint64_t{0}, 2, 0, 70, State::code, 1}};
  trace::Trace trace = made_trace();
  trace.ranks[0].clock.ns_per_tick = 1e6;
  const auto lanes = place_samples(tree, trace);
  EXPECT_EQ(lanes.at(0).samples.at(0).at, static_cast<std::int64_t>(trace::kMostNs));
}

TEST(OnTrace, samples_are_counted_by_phase) {
  TracedSamples samples{timed_tree(), place_samples(timed_tree(), made_trace())};
  const std::vector<SampledPhase> phases{{"before", 0, 0.25e-6}, {"iterations 1", 0.25e-6, 0.9e-6}};
  count_phases(samples, phases, 100);
  EXPECT_EQ(samples.tree.phases, phases);
  // Those at 1100 ns and before the run are in no phase.
  const std::vector<PhaseCount> counts{{2, 0, State::code, 0, 1}, {2, 1, State::mpi, 0, 1}};
  EXPECT_EQ(samples.tree.phase_counts, counts);
  EXPECT_EQ(call_tree_from_json(to_json(samples.tree), "samples.json").phase_counts, counts);
  const std::vector<HotSpot> spots = hot_spots_of_phase(samples.tree, 0, 2, 5);
  ASSERT_EQ(spots.size(), 1);
  EXPECT_EQ(samples.tree.functions[static_cast<std::size_t>(spots[0].function)].short_name,
            "element");
  EXPECT_TRUE(hot_spots_of_phase(samples.tree, 1, 2, 5).empty());
}

TEST(OnTrace, runs_without_times_have_no_samples_on_the_trace) {
  const std::filesystem::path run = std::filesystem::path(::testing::TempDir()) / "on_trace";
  std::filesystem::create_directories(run);
  CallTree tree = test::made_tree();
  write_samples(tree, run);
  EXPECT_FALSE(samples_on_trace(run, made_trace()));
  tree.times = timed_tree().times;
  write_samples(tree, run);
  ASSERT_TRUE(samples_on_trace(run, made_trace()));
  EXPECT_EQ(samples_on_trace(run, made_trace())->lanes.size(), 3);
}

}  // namespace
}  // namespace plait::samples
