// SPDX-License-Identifier: BSD-3-Clause
// Tests that each program gets exactly the cause it was built with.
#include "analysis/causes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "programs.hpp"

namespace plait::analysis {
namespace {

using test::all_ranks;
using test::compute_in;
using test::Prepared;
using test::receive_sent;
using test::together;
using trace::MadeTrace;

constexpr double kNs = 1e-8;

std::vector<RootCause> causes_of(const Prepared& of) {
  return find_causes(of.trace, of.lanes, of.waits, find_intervals(of.trace, of.lanes, of.waits));
}

double waiting_of(const Prepared& of) {
  double seconds = 0;
  for (const WaitState& state : of.states) seconds += state.seconds;
  return seconds;
}

TEST(Causes, OneRankThatComputesHalfAsMuchAgainIsTheCauseWithItsRegionAndSeconds) {
  MadeTrace made(4);
  for (int step = 0; step < 10; ++step) {
    for (const int rank : all_ranks(4)) compute_in(made, rank, "solve", rank == 2 ? 0.15 : 0.1);
    made.from("dot");
    together(made, all_ranks(4), "MPI_Allreduce", 8);
  }
  const Prepared program(made.take());
  const auto causes = causes_of(program);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, "computation");
  EXPECT_EQ(causes[0].rank, 2);
  EXPECT_EQ(test::region_name(program.trace, causes[0].region), "solve");
  EXPECT_EQ(test::site_name(program.trace, causes[0].before_site), "dot");
  EXPECT_NEAR(causes[0].seconds, 3 * 10 * 0.05, kNs);
  EXPECT_NEAR(causes[0].own_excess_s, 10 * 0.05, kNs);
  EXPECT_EQ(causes[0].delayed, (std::vector<int>{0, 1, 3}));
}

TEST(Causes, TheRegionThatTakesLongerIsNamedEvenIfOthersFollowIt) {
  MadeTrace made(4);
  for (int step = 0; step < 5; ++step) {
    for (const int rank : all_ranks(4)) {
      compute_in(made, rank, "assembly", rank == 1 ? 0.3 : 0.2);
      compute_in(made, rank, "solve", 0.5);
    }
    together(made, all_ranks(4), "MPI_Barrier");
  }
  const Prepared program(made.take());
  const auto causes = causes_of(program);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].rank, 1);
  EXPECT_EQ(test::region_name(program.trace, causes[0].region), "assembly")
      << "the others wait while rank 1 is in solve, which takes equally long for all";
  EXPECT_NEAR(causes[0].seconds, 5 * 3 * 0.1, kNs);
}

// In each step another rank waits for a CPU, as if other programs used its core for a while.
MadeTrace stolen_time(int ranks, double work, double stolen) {
  MadeTrace made(ranks);
  made.from("dot");
  for (int step = 0; step < 8; ++step) {
    for (const int rank : all_ranks(ranks)) {
      made.compute(rank, work);
      if (step % ranks != rank) continue;
      made.compute(rank, stolen);
      made.wait_for_cpu(rank, stolen);
    }
    together(made, all_ranks(ranks), "MPI_Allreduce", 8);
  }
  return made;
}

TEST(Causes, TimeWithoutACpuIsNobodysComputation) {
  const Prepared program(stolen_time(4, 1.0, 0.5).take());
  const auto causes = causes_of(program);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, kCpuWait);
  EXPECT_EQ(causes[0].rank, -1);
  EXPECT_NEAR(causes[0].own_excess_s, 8 * 0.5, kNs);
  EXPECT_NEAR(causes[0].seconds, 8 * 4 * 0.5, kNs) << "its own, and that of the three others";
}

TEST(Causes, ASlowRankIsFoundAlsoIfOthersWaitForACpu) {
  MadeTrace made(2);
  for (int step = 0; step < 10; ++step) {
    made.compute(0, 1.0 + 0.2);
    made.wait_for_cpu(0, 0.2);
    made.compute(1, 2.0);
    together(made, all_ranks(2), "MPI_Barrier");
  }
  const Prepared program(made.take());
  const auto causes = causes_of(program);
  ASSERT_EQ(causes.size(), 2U);
  EXPECT_EQ(causes[0].kind, "computation");
  EXPECT_EQ(causes[0].rank, 1);
  EXPECT_NEAR(causes[0].seconds, 10 * 0.8, kNs);
  EXPECT_EQ(causes[1].kind, kCpuWait);
  EXPECT_NEAR(causes[1].seconds, 10 * 0.2, kNs) << "nobody waited for it";
}

TEST(Causes, ACallThatWaitedForACpuIsNotTransfer) {
  MadeTrace made(2);
  made.compute(0, 1.0);
  made.compute(1, 1.0);
  made.wait_for_cpu(0, 0, 0.75);
  made.other(0, "MPI_File_sync", 1.0);
  together(made, all_ranks(2), "MPI_Barrier");
  const Prepared program(made.take());
  double seconds = 0;
  for (const RootCause& cause : causes_of(program)) {
    if (cause.kind == kCpuWait) seconds = cause.seconds;
  }
  EXPECT_NEAR(seconds, 0.75 + 0.75, kNs) << "its own, and that of rank 1 in the barrier";
}

TEST(Causes, ASendThatItsReceiverTakesLateForWantOfACpuIsNotTransfer) {
  MadeTrace made(2);
  made.compute(0, 1.0);
  made.send(0, 1, 0, 0.5);  // small enough to be buffered, but the buffers are full
  made.compute(1, 1.5);
  made.wait_for_cpu(1, 0.5);
  made.receive(1, 0, 0, 0);
  const Prepared program(made.take());
  const auto causes = causes_of(program);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, kCpuWait);
  EXPECT_NEAR(causes[0].own_excess_s, 0.5, kNs);
  EXPECT_NEAR(causes[0].seconds, 0.5 + 0.5, kNs);
}

TEST(Causes, AReceiveWhoseSenderHasNoCpuInItsCallIsNotTransfer) {
  MadeTrace made(3);
  for (const int rank : all_ranks(3)) made.compute(rank, 1.0);
  made.wait_for_cpu(0, 0, 0.4);
  made.wait_for_cpu(2, 0, 0.4);  // no partner of rank 1
  made.send(0, 1, 0, 0.5);
  made.other(2, "MPI_File_sync", 0.5);
  made.receive(1, 0, 0, 0.5);
  const Prepared program(made.take());
  const auto causes = causes_of(program);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, kCpuWait);
  EXPECT_NEAR(causes[0].seconds, 2 * 0.4 + 0.4, kNs);
}

TEST(Causes, CopyingAMessageIsTransferAlsoIfThePartnerHasNoCpu) {
  constexpr std::uint64_t kBytes = 150'000'000;  // 0.3 s at 0.5 GB/s
  MadeTrace made(2);
  made.wait_for_cpu(0, 0, 0.5);
  made.send(0, 1, kBytes, 0.5);
  made.wait_for_cpu(1, 0, 0.1);
  made.receive(1, 0, kBytes, 0.5);
  const Prepared program(made.take());
  const auto causes = causes_of(program);
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes.back().kind, kCpuWait);
  EXPECT_NEAR(causes.back().seconds, 0.5 + 0.1 + 0.1, kNs)
      << "of 0.4 s on a CPU, 0.3 s are copying";
}

TEST(Causes, ACollectiveInWhichAnotherMemberHasNoCpuIsNotTransfer) {
  MadeTrace made(2);
  made.wait_for_cpu(0, 0, 0.3);
  together(made, all_ranks(2), "MPI_Allreduce", 8, 0.5);
  const Prepared program(made.take());
  const auto causes = causes_of(program);
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].kind, kCpuWait);
  EXPECT_NEAR(causes[0].seconds, 0.3 + 0.3, kNs);
}

/// A ring: each rank sends to the next and receives from the previous one; sends do not wait.
void ring_step(MadeTrace& made, int ranks) {
  std::vector<double> sent;
  for (int rank = 0; rank < ranks; ++rank) {
    sent.push_back(made.now(rank));
    made.send(rank, (rank + 1) % ranks, 64, 0.001);
  }
  for (int rank = 0; rank < ranks; ++rank) {
    const int before = (rank + ranks - 1) % ranks;
    receive_sent(made, rank, before, 64, sent[static_cast<std::size_t>(before)]);
  }
}

TEST(Causes, ASlowRankCausesWaitingThatPropagatesThroughNeighbours) {
  MadeTrace made(4);
  for (int step = 0; step < 20; ++step) {
    for (const int rank : all_ranks(4)) made.compute(rank, rank == 2 ? 0.15 : 0.1);
    ring_step(made, 4);
  }
  together(made, all_ranks(4), "MPI_Barrier");
  const Prepared program(made.take());
  const auto causes = causes_of(program);
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].kind, "computation");
  EXPECT_EQ(causes[0].rank, 2);
  EXPECT_NEAR(causes[0].seconds, waiting_of(program), 0.02 * waiting_of(program));
}

TEST(Causes, WorkDoneOneRankAfterTheOtherIsSerialization) {
  MadeTrace made(4);
  made.from("pipeline");
  double sent = 0;
  for (const int rank : all_ranks(4)) {
    if (rank > 0) receive_sent(made, rank, rank - 1, 64, sent);
    made.compute(rank, 1.0);
    sent = made.now(rank);
    if (rank < 3) made.send(rank, rank + 1, 64, 0);
  }
  made.from("end");
  together(made, all_ranks(4), "MPI_Barrier");
  const Prepared program(made.take());
  const auto causes = causes_of(program);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, "serialization");
  EXPECT_EQ(causes[0].chain, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_NEAR(causes[0].seconds, 1 + 2 + 3 + (3 + 2 + 1), kNs);
  EXPECT_EQ(test::site_name(program.trace, causes[0].before_site), "pipeline");
}

TEST(Causes, AReceiveAfterWorkThatItsSenderAlsoDoesIsPostedLate) {
  MadeTrace made(4);
  made.from("exchange");
  made.send(0, 1, 1 << 20, 0.5);
  made.compute(0, 0.5);
  made.compute(1, 0.5);
  made.from("late receive");
  made.receive(1, 0, 1 << 20, 0);
  for (const int rank : {2, 3}) made.compute(rank, 1.0);
  made.from("end");
  made.compute(1, 0.5);
  made.compute(0, 0.5);
  for (const int rank : {2, 3}) made.compute(rank, 0.5);
  together(made, all_ranks(4), "MPI_Barrier");
  Prepared program(made.take());
  const auto causes = causes_of(program);
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes[0].kind, "late posted receive");
  EXPECT_EQ(causes[0].rank, 1);
  EXPECT_EQ(test::site_name(program.trace, causes[0].before_site), "late receive");
  EXPECT_EQ(causes[0].delayed.front(), 0);
  EXPECT_GE(causes[0].seconds, 0.5 - kNs);
}

TEST(Causes, AHolderThatWorksNoMoreThanOthersIsNamedWithItsUnlock) {
  MadeTrace made(3);
  const std::uint32_t window = made.comm({0, 1, 2});
  made.from("hold");
  made.lock(1, "MPI_Win_lock", 0, window, 0, PLAIT_SHAPE_EXCLUSIVE);
  made.compute(1, 0.5);
  made.from("release");
  made.lock(1, "MPI_Win_unlock", 0, window, 0);
  made.from("wait");
  made.lock(2, "MPI_Win_lock", 0.5, window, 0, PLAIT_SHAPE_EXCLUSIVE);
  made.lock(2, "MPI_Win_unlock", 0, window, 0);
  made.compute(2, 1.0);
  made.compute(0, 1.0);
  made.compute(1, 0.5);
  made.from("end");
  together(made, all_ranks(3), "MPI_Barrier");
  Prepared program(made.take());
  const auto causes = causes_of(program);
  ASSERT_FALSE(causes.empty());
  const RootCause* held = nullptr;
  for (const RootCause& cause : causes) {
    if (cause.kind == "lock contention") held = &cause;
  }
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(held->rank, 1);
  EXPECT_EQ(test::site_name(program.trace, held->before_site), "release");
  EXPECT_EQ(std::ranges::count(held->delayed, 2), 1);
}

TEST(Causes, ALateStartIsTheOnlyCauseOfTheWaitingForIt) {
  MadeTrace made(3);
  for (const int rank : all_ranks(3)) made.compute(rank, rank == 2 ? 2.0 : 1.0);
  together(made, all_ranks(3), "MPI_Barrier");
  trace::Trace trace = made.take();
  trace.ranks[2].begin = 1'000'000'000;
  const Prepared program(std::move(trace));
  const auto causes = causes_of(program);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, "late start");
  EXPECT_EQ(causes[0].rank, 2);
  EXPECT_NEAR(causes[0].seconds, 2.0, kNs);
}

TEST(Causes, LongCallsOfOthersAreTransfer) {
  MadeTrace made(2);
  made.compute(0, 1);
  made.other(0, "MPI_File_write", 1.0);
  made.compute(1, 1);
  together(made, all_ranks(2), "MPI_Barrier");
  const Prepared program(made.take());
  const auto causes = causes_of(program);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, "transfer");
  EXPECT_NEAR(causes[0].seconds, 1.0, kNs);
}

TEST(Causes, WaitingAtTheEndHasACauseToo) {
  MadeTrace made(4);
  for (const int rank : all_ranks(4)) made.compute(rank, rank == 3 ? 1.5 : 1.0);
  const Prepared program(made.take());
  const auto causes = causes_of(program);
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_EQ(causes[0].kind, "computation");
  EXPECT_EQ(causes[0].rank, 3);
  EXPECT_NEAR(causes[0].seconds, 1.5, kNs);
}

TEST(Causes, WaitingInSubCommunicatorsIsSeparate) {
  MadeTrace made(4);
  const std::uint32_t low = made.comm({0, 1});
  const std::uint32_t high = made.comm({2, 3});
  for (int step = 0; step < 3; ++step) {
    for (const int rank : all_ranks(4)) made.compute(rank, rank == 1 ? 0.4 : rank == 3 ? 0.2 : 0.1);
    together(made, {0, 1}, "MPI_Allreduce", 8, 0, low);
    together(made, {2, 3}, "MPI_Allreduce", 8, 0, high);
  }
  trace::Trace trace = made.take();
  for (trace::Rank& rank : trace.ranks) rank.complete = false;  // no waiting at the end
  const Prepared program(std::move(trace));
  const auto causes = causes_of(program);
  ASSERT_EQ(causes.size(), 2U);
  EXPECT_EQ(causes[0].rank, 1);
  EXPECT_EQ(causes[0].delayed, (std::vector<int>{0}));
  EXPECT_NEAR(causes[0].seconds, 0.9, kNs);
  EXPECT_EQ(causes[1].rank, 3);
  EXPECT_EQ(causes[1].delayed, (std::vector<int>{2}));
  EXPECT_NEAR(causes[1].seconds, 0.3, kNs);
}

TEST(Causes, AllWaitingIsAttributedExactlyOnce) {
  MadeTrace made(4);
  for (int step = 0; step < 7; ++step) {
    for (const int rank : all_ranks(4))
      made.compute(rank, 0.1 + 0.013 * ((rank * 7 + step * 5) % 11));
    ring_step(made, 4);
    if (step % 3 == 2) together(made, all_ranks(4), "MPI_Allreduce", 8);
  }
  const Prepared program(made.take());
  double shared = 0;
  for (const RootCause& cause : causes_of(program)) shared += cause.seconds;
  EXPECT_NEAR(shared, waiting_of(program), 1e-3 * waiting_of(program));
}

}  // namespace
}  // namespace plait::analysis
