// SPDX-License-Identifier: BSD-3-Clause
// Tests that gaps are removed from the clock of a trace.
#include <gtest/gtest.h>

#include "made_trace.hpp"

namespace plait::trace {
namespace {

constexpr std::int64_t kS = 1'000'000'000;

/// Rank 0: computes until 1, sends until 2, computes until 6, ends with a region since 0.5 at 8.
/// Rank 1: receives from 0 to 2, computes until 8.
Trace two_ranks() {
  MadeTrace made(2);
  made.compute(0, 1);
  made.send(0, 1, 8, 1);
  made.compute(0, 4);
  made.other(0, "MPI_Comm_rank", 0.5);
  made.compute(0, 1.5);
  made.region(0, "all", 0.5);
  made.receive(1, 0, 8, 2);
  made.compute(1, 6);
  made.other(1, "MPI_Comm_rank", 0);
  Trace trace = made.take();
  for (Rank& rank : trace.ranks) rank.end = 8 * kS;
  return trace;
}

TEST(CutGaps, TimeInWhichAnyRankHasAGapIsRemovedFromAllRanks) {
  Trace trace = two_ranks();
  trace.ranks[0].gaps = {{3 * kS, 4 * kS}};
  trace.ranks[1].gaps = {{3 * kS + kS / 2, 5 * kS}, {7 * kS, 8 * kS}};
  cut_gaps(trace);
  ASSERT_EQ(trace.cuts.size(), 2u);
  EXPECT_DOUBLE_EQ(cut_seconds(trace), 3);
  EXPECT_DOUBLE_EQ(recorded_seconds(trace), 5);
  const auto& events = trace.ranks[0].streams[0].events;
  EXPECT_EQ(events[0].begin, 1 * kS);
  EXPECT_EQ(events[0].end, 2 * kS);
  EXPECT_EQ(events[1].begin, 4 * kS);  // 6 before
  EXPECT_EQ(events[1].end, 4 * kS + kS / 2);
  EXPECT_EQ(events[2].begin, kS / 2);
  EXPECT_EQ(events[2].end, 5 * kS);
  EXPECT_EQ(without_cuts(trace, 2 * kS), 2 * kS);
  EXPECT_EQ(without_cuts(trace, 4 * kS), std::nullopt);
  EXPECT_EQ(without_cuts(trace, 5 * kS), 3 * kS);
  EXPECT_EQ(without_cuts(trace, 6 * kS), 4 * kS);
}

TEST(CutGaps, CallsInAGapHaveNoDurationAndOthersTheRest) {
  Trace trace = two_ranks();
  trace.ranks[1].gaps = {{-kS, kS}};  // rank 0 sends when it ends; it began before the run
  trace.ranks[0].gaps = {{6 * kS, 7 * kS}};
  cut_gaps(trace);
  const Event& receive = trace.ranks[1].streams[0].events[0];
  EXPECT_EQ(receive.begin, 0);
  EXPECT_EQ(receive.end, kS);  // instead of 2
  const Event& inside = trace.ranks[0].streams[0].events[1];
  EXPECT_EQ(inside.begin, inside.end);
  EXPECT_DOUBLE_EQ(recorded_seconds(trace), 6);
}

TEST(CutGaps, WaitingForACpuIsCutToo) {
  MadeTrace made(1);
  made.wait_for_cpu(0, 2);
  made.compute(0, 4);
  made.other(0, "MPI_Comm_rank", 1);
  Trace trace = made.take();
  trace.ranks[0].streams[0].cpu_waits[0].at = 4 * kS;
  trace.ranks[0].gaps = {{3 * kS, 4 * kS}};
  cut_gaps(trace);
  EXPECT_EQ(trace.ranks[0].streams[0].cpu_waits[0].at, 3 * kS);
  EXPECT_EQ(trace.ranks[0].streams[0].cpu_waits[0].before_ns, kS);
}

TEST(CutGaps, WithoutGapsNothingChanges) {
  Trace trace = two_ranks();
  cut_gaps(trace);
  EXPECT_TRUE(trace.cuts.empty());
  EXPECT_DOUBLE_EQ(recorded_seconds(trace), 8);
  EXPECT_EQ(without_cuts(trace, kS), kS);
}

}  // namespace
}  // namespace plait::trace
