// SPDX-License-Identifier: BSD-3-Clause
// Intervals of traces, and what moving ranks would gain on another machine.
#include "remap/replayed_moves.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "machine/open_machine.hpp"
#include "made_trace.hpp"
#include "remap/traced_intervals.hpp"

namespace plait::remap {
namespace {

using trace::MadeTrace;

/// Each rank computes for 1 ms and exchanges many messages with a partner, `rounds` times.
/// @param distance  of partners: 1 is a neighbour
trace::Trace partners(int ranks, int distance, int rounds, int ranks_per_node = 0) {
  MadeTrace made(ranks, ranks_per_node);
  for (int round = 0; round < rounds; ++round) {
    for (int rank = 0; rank < ranks; ++rank) {
      const int partner = rank / distance % 2 == 0 ? rank + distance : rank - distance;
      made.compute(rank, 1e-3);
      for (int i = 0; i < 20; ++i) {
        made.send_receive(rank, partner, 65536, partner, 65536, 50e-6, i);
      }
    }
  }
  return made.take();
}

TEST(TracedIntervals, HaveTimesAndMessagesOfTheirOwn) {
  const TracedNode node = traced_node(partners(4, 1, 100), 0, 0.1);
  ASSERT_EQ(node.ranks, (std::vector<int>{0, 1, 2, 3}));
  ASSERT_EQ(node.intervals.size(), 2U) << "0.2 s";
  for (const Interval& interval : node.intervals) {
    EXPECT_NEAR(interval.seconds, 0.1, 1e-6);
    ASSERT_EQ(interval.flows.size(), 4U) << "two pairs, both ways";
    for (std::size_t rank = 0; rank < 4; ++rank) {
      EXPECT_NEAR(interval.busy_s[rank], 0.05, 1e-6);
      EXPECT_NEAR(interval.mpi_s[rank], 0.05, 1e-6);
    }
    for (const Flow& flow : interval.flows) {
      EXPECT_EQ(flow.from / 2, flow.to / 2);
      EXPECT_NEAR(flow.messages, 1000, 20) << "20 in each of 50 rounds";
      EXPECT_EQ(flow.bytes, 65536 * flow.messages);
    }
  }
}

TEST(TracedIntervals, LeaveOutMessagesToOtherNodesAndCountCollectives) {
  MadeTrace made(4, 2);
  for (int rank = 0; rank < 4; ++rank) {
    made.compute(rank, 0.01);
    made.send_receive(rank, (rank + 2) % 4, 8, (rank + 2) % 4, 8, 1e-3);
    made.collective(rank, "MPI_Allreduce", 8, 1e-3);
  }
  const trace::Trace trace = made.take();
  const TracedNode node = traced_node(trace, 1, 10);
  ASSERT_EQ(node.ranks, (std::vector<int>{2, 3}));
  ASSERT_EQ(node.intervals.size(), 1U);
  ASSERT_EQ(node.intervals[0].flows.size(), 2U);
  EXPECT_EQ(node.intervals[0].flows[0].messages, 1) << "of the Allreduce";
  EXPECT_EQ(node.intervals[0].flows[0].bytes, 8);
}

TEST(ReplayedMoves, BringPartnersTogetherAndKeepThemThere) {
  // Two packages of four cores; partners are on both.
  const machine::MachineFile machine =
      machine::open_machine("synthetic:package:2 l3:1 core:4 pu:1");
  const trace::Trace trace = partners(8, 4, 500);
  const auto moves = replay_moves(trace, machine, 0.1);
  ASSERT_EQ(moves.size(), 1U);
  const RemapFile& file = moves[0].decisions;
  EXPECT_EQ(file.intervals, 10);
  ASSERT_EQ(file.decisions.size(), 1U) << "one move, which is not reverted";
  EXPECT_NEAR(file.decisions[0].at_s, 0.2, 1e-6) << "after two alike intervals";
  EXPECT_EQ(file.decisions[0].move.effect, Effect::faster);
  EXPECT_GT(moves[0].saved_s, 0);
  EXPECT_LT(moves[0].saved_s, moves[0].recorded_s);
  EXPECT_NEAR(moves[0].recorded_s, 1, 1e-3);
}

TEST(ReplayedMoves, AreNoneWherePartnersAreNeighbours) {
  const machine::MachineFile machine =
      machine::open_machine("synthetic:package:2 l3:1 core:4 pu:1");
  const auto moves = replay_moves(partners(8, 1, 500), machine, 0.1);
  ASSERT_EQ(moves.size(), 1U);
  EXPECT_TRUE(moves[0].decisions.decisions.empty());
  EXPECT_EQ(moves[0].saved_s, 0);
}

TEST(ReplayedMoves, DecideNodeByNode) {
  const machine::MachineFile machine =
      machine::open_machine("synthetic:package:2 l3:1 core:2 pu:1");
  const auto moves = replay_moves(partners(8, 2, 500, 4), machine, 0.1);
  ASSERT_EQ(moves.size(), 2U);
  for (const ReplayedMoves& node : moves) {
    EXPECT_EQ(node.decisions.decisions.size(), 1U);
    EXPECT_EQ(node.decisions.ranks, 4);
  }
  EXPECT_NE(moves[0].decisions.host, moves[1].decisions.host);
}

}  // namespace
}  // namespace plait::remap
