// SPDX-License-Identifier: BSD-3-Clause
// Tests of matching where ranks have left out operations in gaps.
#include <gtest/gtest.h>

#include <vector>

#include "made_trace.hpp"

namespace plait::trace {
namespace {

/// Rank 0 sends messages of these sizes to rank 1, which receives them, all with tag 0.
Trace stream(const std::vector<std::uint64_t>& sent, const std::vector<std::uint64_t>& received) {
  MadeTrace made(2);
  for (const std::uint64_t bytes : sent) made.send(0, 1, bytes, 1e-6);
  for (const std::uint64_t bytes : received) made.receive(1, 0, bytes, 1e-6);
  return made.take();
}

/// The rank left out so many operations like its first one before operation `before`.
void leave_out(Trace& trace, std::uint32_t rank, std::uint64_t count, std::uint32_t before) {
  const Operation& like = trace.ranks[rank].operations.front();
  LeftOutOperations of;
  of.kind = like.kind;
  of.shape = like.shape;
  of.tag = like.tag;
  of.before = before;
  of.count = count;
  trace.ranks[rank].left_out_operations.push_back(of);
}

void expect_sizes(const Trace& trace, const std::vector<std::uint64_t>& sizes) {
  ASSERT_EQ(trace.messages.size(), sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Message& message = trace.messages[i];
    EXPECT_EQ(trace.ranks[0].operations[message.send].bytes, sizes[i]);
    EXPECT_EQ(trace.ranks[1].operations[message.receive].capacity, sizes[i]);
  }
}

TEST(MatchGaps, WhatBothSidesLeftOutDoesNotMoveWhatFollows) {
  Trace trace = stream({1, 5, 6}, {1, 2, 6, 7});  // 2 and 5 have one side each; 7 was sent last
  leave_out(trace, 0, 3, 1);                      // 2, 3, 4
  leave_out(trace, 0, 1, 3);                      // 7
  leave_out(trace, 1, 3, 2);                      // 3, 4, 5
  match(trace);
  expect_sizes(trace, {1, 6});
  EXPECT_EQ(trace.untraced_sends, 1u);
  EXPECT_EQ(trace.untraced_receives, 2u);
  EXPECT_EQ(trace.unmatched_sends + trace.unmatched_receives, 0u);
}

TEST(MatchGaps, AnOperationWithoutAnyPartnerIsStillUnmatched) {
  Trace trace = stream({1, 4, 5}, {1, 4});
  leave_out(trace, 0, 2, 1);
  leave_out(trace, 1, 2, 1);
  match(trace);
  expect_sizes(trace, {1, 4});
  EXPECT_EQ(trace.unmatched_sends, 1u);
  EXPECT_EQ(trace.untraced_sends + trace.untraced_receives, 0u);
}

TEST(MatchGaps, ARingCountsFromTheEnd) {
  Trace trace = stream({4, 6, 7}, {5, 6, 7});  // the first ones are overwritten
  trace.ranks[0].overwritten_events = 9;
  leave_out(trace, 0, 1, 1);  // 5
  match(trace);
  expect_sizes(trace, {6, 7});
  EXPECT_EQ(trace.untraced_receives, 1u);
  EXPECT_EQ(trace.unmatched_sends, 1u);
}

TEST(MatchGaps, CollectivesKeepTheirOrderAndThoseThatNobodyRecordedTakeNoRoom) {
  MadeTrace made(2);
  made.collective(0, "MPI_Barrier", 0, 1e-6);
  made.collective(0, "MPI_Bcast", 8, 1e-6, 0);
  made.collective(1, "MPI_Barrier", 0, 1e-6);
  made.collective(1, "MPI_Reduce", 8, 1e-6, 0);
  made.collective(1, "MPI_Bcast", 8, 1e-6, 0);
  Trace trace = made.take();
  leave_out(trace, 0, 1'000'000, 1);
  leave_out(trace, 1, 999'999, 1);
  match(trace);
  ASSERT_EQ(trace.collectives.size(), 3u);
  EXPECT_EQ(trace.collectives[0].ordinal, 0u);
  EXPECT_EQ(trace.collectives[1].ordinal, 1'000'000u);
  EXPECT_EQ(trace.collectives[2].ordinal, 1'000'001u);
  const auto member = [&](std::uint32_t call, std::uint32_t rank) {
    return trace.members[trace.collectives[call].first_member + rank];
  };
  EXPECT_EQ(member(1, 0), kNone);
  EXPECT_EQ(member(1, 1), 1u);
  EXPECT_EQ(member(2, 0), 1u);
  EXPECT_EQ(member(2, 1), 2u);
  for (const Collective& collective : trace.collectives) EXPECT_TRUE(collective.consistent);
}

TEST(MatchGaps, OperationsOfSeveralThreadsAreOrderedByTime) {
  Trace trace = stream({1, 3}, {1, 3});
  Rank& sender = trace.ranks[0];
  sender.streams.push_back({7, -1, {sender.streams[0].events[1]}, {}});
  sender.streams[0].events.pop_back();
  sender.operations[1].stream = sender.operations[1].end_stream = 1;
  sender.operations[1].started = sender.operations[1].ended = 0;
  leave_out(trace, 0, 1, 1);
  sender.left_out_operations[0].at = sender.streams[0].events[0].end;
  sender.streams[1].events[0].begin = sender.streams[1].events[0].end = 1000;
  leave_out(trace, 1, 1, 1);
  match(trace);
  expect_sizes(trace, {1, 3});
}

}  // namespace
}  // namespace plait::trace
