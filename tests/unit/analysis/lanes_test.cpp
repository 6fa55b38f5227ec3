// SPDX-License-Identifier: BSD-3-Clause
// Tests of lanes: calls, computation between them, user regions.
#include "analysis/lanes.hpp"

#include <gtest/gtest.h>

#include <array>

#include "programs.hpp"

namespace plait::analysis {
namespace {

using trace::MadeTrace;

TEST(Lanes, CountUntilFindsTheSameFromAnyStart) {
  const std::vector<std::int64_t> times{1, 3, 3, 7, 20, 20, 21};
  for (std::int64_t t = 0; t < 25; ++t) {
    const auto expected =
        static_cast<std::uint32_t>(std::ranges::upper_bound(times, t) - times.begin());
    for (std::uint32_t near = 0; near < 9; ++near) {
      EXPECT_EQ(count_until(t, near, 7, [&](std::uint32_t i) { return times[i]; }), expected)
          << t << " from " << near;
    }
  }
}

TEST(Lanes, ComputationIsTimeOutsideCalls) {
  MadeTrace made(1);
  made.compute(0, 1.0);
  made.other(0, "MPI_Comm_rank", 0.5);
  made.compute(0, 2.0);
  const trace::Trace trace = made.take();
  const Lanes lanes = make_lanes(trace);
  ASSERT_EQ(lanes.all.size(), 1U);
  const Lane& lane = lanes.all[0];
  ASSERT_EQ(lane.calls.size(), 2U) << "the last one is the end";
  EXPECT_EQ(lane.computed_until(500'000'000, 0), 500'000'000);
  EXPECT_EQ(lane.computed_until(1'200'000'000, 2), 1'000'000'000);
  EXPECT_EQ(lane.computed_until(2'500'000'000, 0), 2'000'000'000);
  EXPECT_EQ(lane.computed_until(3'500'000'000, 0), 3'000'000'000);
}

TEST(Lanes, NestedRegionsSplitComputationWhereTheyBeginAndEnd) {
  MadeTrace made(1);
  made.from("call");
  made.compute(0, 1.0);
  const double outer = made.now(0);
  made.compute(0, 2.0);
  const double inner = made.now(0);
  made.compute(0, 3.0);
  made.other(0, "MPI_Wtime", 0.5);
  made.compute(0, 1.0);
  made.region(0, "inner", inner);
  made.compute(0, 4.0);
  made.region(0, "outer", outer);
  made.compute(0, 5.0);
  const trace::Trace trace = made.take();
  const Lanes lanes = make_lanes(trace);
  std::vector<std::pair<std::string, std::int64_t>> found;
  for (const Segment& segment : lanes.all[0].segments) {
    found.emplace_back(test::region_name(trace, segment.region),
                       (segment.end - segment.begin) / 1'000'000'000);
  }
  const std::vector<std::pair<std::string, std::int64_t>> expected{
      {"none", 1}, {"outer", 2}, {"inner", 3}, {"inner", 1}, {"outer", 4}, {"none", 5}};
  EXPECT_EQ(found, expected);
}

TEST(Lanes, WaitingForACpuIsNotComputation) {
  MadeTrace made(1);
  made.compute(0, 3.0);
  made.wait_for_cpu(0, 1.0, 0.25);
  made.other(0, "MPI_Comm_rank", 0.5);
  made.compute(0, 2.0);
  made.wait_for_cpu(0, 1.5);  // before the end
  const trace::Trace trace = made.take();
  const Lane lane = make_lanes(trace).all.at(0);
  ASSERT_EQ(lane.calls.size(), 2u);
  EXPECT_EQ(lane.computed_before(0), 2'000'000'000);
  EXPECT_EQ(lane.computed_before(1), 2'500'000'000);
  EXPECT_EQ(lane.stalled_before(0), 1'000'000'000);
  EXPECT_EQ(lane.stalled_before(1), 2'750'000'000);
  EXPECT_EQ(lane.computed_until(2'500'000'000, 0), 2'000'000'000);
  EXPECT_EQ(lane.computed_until(3'200'000'000, 0), 2'000'000'000);
  EXPECT_EQ(lane.computed_until(5'500'000'000, 0), 2'500'000'000);
  EXPECT_EQ(lane.stalled_in(0), 250'000'000);
  EXPECT_EQ(lane.stalled_in(1), 0);
  const std::vector<std::pair<std::int64_t, std::int64_t>> stalled_until{
      {1500, 0}, {2500, 500}, {3250, 1125}, {3500, 1250}, {4000, 1250}, {5000, 2250}, {5500, 2750}};
  for (const auto& [at, expected] : stalled_until) {
    EXPECT_EQ(lane.stalled_until(at * 1'000'000), expected * 1'000'000) << "at " << at << " ms";
  }
  std::vector<bool> on_cpu;
  for (const Segment& segment : lane.segments) on_cpu.push_back(segment.on_cpu);
  EXPECT_EQ(on_cpu, (std::vector<bool>{true, false, true, false}));
}

TEST(Lanes, WithoutRegionsEachCallHasTheComputationBeforeIt) {
  MadeTrace made(1);
  made.from("first");
  made.compute(0, 2.0);
  made.other(0, "MPI_Comm_rank", 0.5);
  made.other(0, "MPI_Comm_size", 0.5);  // at once
  made.from("last");
  made.compute(0, 3.0);
  made.other(0, "MPI_Wtime", 0.5);
  made.compute(0, 1.0);
  const trace::Trace trace = made.take();
  const Lane lane = make_lanes(trace).all.at(0);
  EXPECT_TRUE(lane.segments.empty());
  std::vector<std::array<std::int64_t, 2>> found;
  std::vector<std::uint32_t> sites;
  for (SegmentsBefore at(trace, lane, 3); at.more(); at.step()) {
    EXPECT_TRUE(at.on_cpu());
    EXPECT_EQ(at.region(), trace::kNone);
    found.push_back({at.begin() / 1'000'000, at.end() / 1'000'000});
    sites.push_back(at.site());
  }
  const std::vector<std::array<std::int64_t, 2>> expected{{6500, 7500}, {3000, 6000}, {0, 2000}};
  EXPECT_EQ(found, expected);
  EXPECT_EQ(sites, (std::vector<std::uint32_t>{trace::kNone, site_of(trace, lane, 2),
                                               site_of(trace, lane, 0)}));
  EXPECT_EQ(SegmentsBefore(trace, lane, 1).end(), 2'000'000'000);
  EXPECT_EQ(lane.computed_before(2), 5'000'000'000);
}

TEST(Lanes, RanksWithoutEventsHaveNone) {
  MadeTrace made(2);
  made.compute(0, 1.0);
  trace::Trace trace = made.take();
  trace.ranks[1].streams.clear();
  const Lanes lanes = make_lanes(trace);
  EXPECT_EQ(lanes.all.size(), 1U);
  EXPECT_EQ(lanes.main_of[1], trace::kNone);
  EXPECT_TRUE(make_lanes(trace::Trace{}).all.empty());
}

}  // namespace
}  // namespace plait::analysis
