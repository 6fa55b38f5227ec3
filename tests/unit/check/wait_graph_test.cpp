// SPDX-License-Identifier: BSD-3-Clause
// The wait-for graph: cycles, knots, AND and OR, ranks that have ended, other threads.
#include "check/wait_graph.hpp"

#include <gtest/gtest.h>

namespace plait::check {
namespace {

using Threads = std::vector<std::size_t>;

WaitGraph graph_of(int ranks, std::vector<WaitingThread> threads) {
  return {ranks, std::move(threads), std::vector<bool>(static_cast<std::size_t>(ranks), false)};
}

TEST(WaitGraph, ACycleIsADeadlock) {
  const WaitGraph graph = graph_of(3, {{0, {{1}}}, {1, {{2}}}, {2, {{0}}}});
  const Threads stuck = deadlocked(graph);
  EXPECT_EQ(stuck, (Threads{0, 1, 2}));
  const Core core = core_of(graph, stuck);
  EXPECT_EQ(core.kind, Core::Kind::cycle);
  EXPECT_EQ(core.threads, (Threads{0, 1, 2}));
}

TEST(WaitGraph, AThreadThatCanContinueReleasesAllThatWaitForIt) {
  EXPECT_TRUE(deadlocked(graph_of(3, {{0, {{1}}}, {1, {{2}}}, {2, {}}})).empty());
}

TEST(WaitGraph, AnUnknownRankMayAct) {
  EXPECT_TRUE(deadlocked(graph_of(3, {{0, {{1}}}, {1, {{2}}}})).empty());
}

TEST(WaitGraph, AllClausesMustBeMet) {
  // Rank 0 waits for both others; rank 1 computes, rank 2 waits for rank 0.
  const WaitGraph graph = graph_of(3, {{0, {{1}, {2}}}, {1, {}}, {2, {{0}}}});
  EXPECT_EQ(deadlocked(graph), (Threads{0, 2}));
}

TEST(WaitGraph, OneRankOfAClauseIsEnough) {
  EXPECT_TRUE(deadlocked(graph_of(3, {{0, {{1, 2}}}, {1, {}}, {2, {{0}}}})).empty());
}

TEST(WaitGraph, AKnotIsADeadlockOfAnySource) {
  const WaitGraph graph = graph_of(3, {{0, {{0, 1, 2}}}, {1, {{0, 1, 2}}}, {2, {{0, 1, 2}}}});
  const Threads stuck = deadlocked(graph);
  EXPECT_EQ(stuck.size(), 3U);
  EXPECT_EQ(core_of(graph, stuck).kind, Core::Kind::knot);
}

TEST(WaitGraph, ACycleWithAWayOutIsNone) {
  // 0 and 1 wait for each other, but 0 would also take a message of 2, which computes.
  EXPECT_TRUE(deadlocked(graph_of(3, {{0, {{1, 2}}}, {1, {{0}}}, {2, {}}})).empty());
}

TEST(WaitGraph, AThreadThatWaitsForADeadlockIsStuckButNotInItsCycle) {
  const WaitGraph graph = graph_of(3, {{0, {{1}}}, {1, {{2}}}, {2, {{1}}}});
  const Threads stuck = deadlocked(graph);
  EXPECT_EQ(stuck.size(), 3U);
  EXPECT_EQ(core_of(graph, stuck).threads, (Threads{1, 2}));
}

TEST(WaitGraph, WaitingForARankThatEndedIsAChain) {
  WaitGraph graph = graph_of(3, {{0, {{1}}}, {1, {{2}}}});
  graph.ended[2] = true;
  const Threads stuck = deadlocked(graph);
  const Core core = core_of(graph, stuck);
  EXPECT_EQ(core.kind, Core::Kind::chain);
  EXPECT_EQ(core.threads, (Threads{0, 1}));
  EXPECT_EQ(core.ended_rank, 2);
}

TEST(WaitGraph, ARankThatWaitsForItselfIsACycleOfOne) {
  const WaitGraph graph = graph_of(2, {{0, {{0}}}, {1, {}}});
  EXPECT_EQ(core_of(graph, deadlocked(graph)).threads, (Threads{0}));
}

TEST(WaitGraph, AnotherThreadOfTheRankMayServe) {
  // Rank 1 has two threads: one waits for rank 0, the other computes.
  EXPECT_TRUE(deadlocked(graph_of(2, {{0, {{1}}}, {1, {{0}}}, {1, {}}})).empty());
  EXPECT_EQ(deadlocked(graph_of(2, {{0, {{1}}}, {1, {{0}}}, {1, {{0}}}})).size(), 3U);
}

TEST(WaitGraph, RanksOutOfRangeAreUnknown) {
  EXPECT_TRUE(deadlocked(graph_of(1, {{0, {{7}}}})).empty());
}

}  // namespace
}  // namespace plait::check
