// SPDX-License-Identifier: BSD-3-Clause
// Tests of wait states: one program per kind, with known seconds.
#include "analysis/wait_states.hpp"

#include <gtest/gtest.h>

#include "programs.hpp"

namespace plait::analysis {
namespace {

using test::all_ranks;
using test::Prepared;
using test::together;
using trace::MadeTrace;

constexpr double kNs = 1e-8;

/// The only kind of waiting besides that at the end.
void expect_only(const Prepared& of, WaitKind kind, double seconds, int worst_rank,
                 std::uint64_t count = 1) {
  std::vector<WaitState> states;
  for (const WaitState& state : of.states) {
    if (state.kind != WaitKind::at_end) states.push_back(state);
  }
  ASSERT_EQ(states.size(), 1U);
  EXPECT_STREQ(to_string(states[0].kind), to_string(kind));
  EXPECT_NEAR(states[0].seconds, seconds, kNs);
  EXPECT_EQ(states[0].worst_rank, worst_rank);
  EXPECT_EQ(states[0].count, count);
}

bool waits_but_at_the_end(const Prepared& of) {
  return std::ranges::any_of(of.states,
                             [](const WaitState& state) { return state.kind != WaitKind::at_end; });
}

TEST(WaitStates, AReceiveBeforeItsSendIsALateSender) {
  MadeTrace made(2);
  made.compute(0, 1.0);
  made.send(0, 1, 64, 0.01);
  made.compute(1, 0.25);
  made.receive(1, 0, 64, 0.76);
  expect_only(Prepared(made.take()), WaitKind::late_sender, 0.75, 1);
}

TEST(WaitStates, AWaitForSeveralMessagesEndsWithTheLastSender) {
  MadeTrace made(3);
  const auto first = made.ireceive(0, 1, 64, 0);
  const auto second = made.ireceive(0, 2, 64, 0);
  made.wait(0, {first, second}, 0.9);
  made.compute(1, 0.2);
  made.send(1, 0, 64, 0);
  made.compute(2, 0.8);
  made.send(2, 0, 64, 0);
  const Prepared program(made.take());
  expect_only(program, WaitKind::late_sender, 0.8, 0);
  EXPECT_EQ(program.lanes.all[program.waits.of[0][0].by_lane].rank, 2U);
}

TEST(WaitStates, ASendThatBlocksUntilItsReceiveIsALateReceiver) {
  MadeTrace made(2);
  made.send(0, 1, 1 << 20, 0.5);
  made.compute(1, 0.4);
  made.receive(1, 0, 1 << 20, 0.1);
  expect_only(Prepared(made.take()), WaitKind::late_receiver, 0.4, 0);
}

TEST(WaitStates, ASendThatEndedBeforeItsReceiveBeganDidNotWaitForIt) {
  MadeTrace made(2);
  made.send(0, 1, 64, 0.001);
  made.compute(1, 0.4);
  made.receive(1, 0, 64, 0.1);
  EXPECT_FALSE(waits_but_at_the_end(Prepared(made.take())));
}

TEST(WaitStates, AMessageAsShortAsOneThatWasBufferedIsTakenToBeBuffered) {
  MadeTrace made(2);
  made.send(0, 1, 4096, 0.001);  // sent at once: its receive begins half a second later
  made.compute(1, 0.5);
  made.receive(1, 0, 4096, 0.001);
  made.compute(0, 0.5);
  made.send(0, 1, 4096, 0.002);  // its receive begins within it by chance
  made.compute(1, 0.0005);
  made.receive(1, 0, 4096, 0.001);
  EXPECT_FALSE(waits_but_at_the_end(Prepared(made.take())));
}

TEST(WaitStates, ASynchronousSendWaitsHoweverShortItIs) {
  MadeTrace made(2);
  made.send(0, 1, 4096, 0.001);
  made.compute(1, 0.5);
  made.receive(1, 0, 4096, 0.001);
  made.compute(0, 0.5);
  made.send(0, 1, 64, 0.4, 0, "MPI_Ssend");
  made.compute(1, 0.399);
  made.receive(1, 0, 64, 0.001);
  trace::Trace trace = made.take();
  for (trace::Shape& shape : trace.shapes) {
    if (trace.functions[shape.function] == "MPI_Ssend") shape.flags |= PLAIT_SHAPE_SYNCHRONOUS;
  }
  expect_only(Prepared(std::move(trace)), WaitKind::late_receiver, 0.399, 0);
}

TEST(WaitStates, ABarrierWaitsForItsLastMember) {
  MadeTrace made(4);
  for (const int rank : all_ranks(4)) made.compute(rank, rank == 3 ? 1.0 : 0.5 + 0.1 * rank);
  together(made, all_ranks(4), "MPI_Barrier", 0, 0.01);
  expect_only(Prepared(made.take()), WaitKind::barrier, 0.5 + 0.4 + 0.3, 0, 3);
}

TEST(WaitStates, AnAllToAllCollectiveWaitsLikewiseAndIsCalledNxN) {
  for (const char* function : {"MPI_Allreduce", "MPI_Alltoallv", "MPI_Allgather_c"}) {
    MadeTrace made(2);
    made.compute(1, 1.0);
    together(made, all_ranks(2), function, 8);
    expect_only(Prepared(made.take()), WaitKind::n_to_n, 1.0, 0);
  }
}

TEST(WaitStates, ABroadcastWaitsForItsRootAndTheRootForNobody) {
  MadeTrace made(3);
  made.compute(0, 0.1);
  made.compute(2, 0.5);
  made.collective(1, "MPI_Bcast", 8, 0.1, 0);
  made.collective(0, "MPI_Bcast", 8, 0.01, 0);
  made.collective(2, "MPI_Bcast", 8, 0.01, 0);
  expect_only(Prepared(made.take()), WaitKind::late_root, 0.1, 1);
}

TEST(WaitStates, AReductionsRootWaitsForTheOthersAndTheyForNobody) {
  MadeTrace made(3);
  made.compute(1, 0.2);
  made.compute(2, 0.6);
  made.collective(0, "MPI_Reduce", 8, 0.61, 0);
  made.collective(1, "MPI_Reduce", 8, 0.01, 0);
  made.collective(2, "MPI_Reduce", 8, 0.01, 0);
  expect_only(Prepared(made.take()), WaitKind::early_root, 0.6, 0);
}

TEST(WaitStates, AScanWaitsForLowerRanksOnly) {
  MadeTrace made(3);
  made.compute(0, 0.2);
  made.compute(2, 0.9);
  made.collective(0, "MPI_Scan", 8, 0);
  made.collective(1, "MPI_Scan", 8, 0.2);
  made.collective(2, "MPI_Scan", 8, 0);
  expect_only(Prepared(made.take()), WaitKind::n_to_n, 0.2, 1);
}

TEST(WaitStates, AFenceAndACollectiveWriteWaitForTheLastMember) {
  for (const auto& [function, kind] : {std::pair("MPI_Win_fence", WaitKind::fence),
                                       std::pair("MPI_File_write_at_all", WaitKind::file),
                                       std::pair("MPI_Win_create", WaitKind::n_to_n)}) {
    MadeTrace made(2);
    made.compute(1, 0.5);
    together(made, all_ranks(2), function, 8, 0.01);
    expect_only(Prepared(made.take()), kind, 0.5, 0);
  }
}

TEST(WaitStates, AFenceThatEndsBeforeTheLastMemberArrivesWaitsForNobody) {
  MadeTrace made(2);
  made.compute(1, 0.5);
  made.collective(0, "MPI_Win_fence", 0, 0.01);
  made.collective(1, "MPI_Win_fence", 0, 0.01);
  EXPECT_FALSE(waits_but_at_the_end(Prepared(made.take())));
}

TEST(WaitStates, AmongNeighboursRanksWaitForThoseThatSendToThem) {
  MadeTrace made(4);
  const std::uint32_t comm = made.comm({3, 2, 1, 0}, {}, {{1}, {0, 2}, {1, 3}, {2}});
  made.compute(3, 0.5);
  // Rank 2 waits for rank 3. Rank 0 has rank 1 alone, and rank 1 the ranks 0 and 2.
  for (const int rank : {0, 1, 2, 3}) {
    made.collective(rank, "MPI_Neighbor_alltoall", 8, rank == 2 ? 0.51 : 0.01, -1, comm);
  }
  expect_only(Prepared(made.take()), WaitKind::neighbors, 0.5, 2);
}

TEST(WaitStates, AmongNeighboursNobodyWaitsForWhatEndsWithoutThem) {
  MadeTrace made(2);
  made.compute(1, 0.5);
  // Rank 1 has nothing to send, or the neighbours are unknown.
  const std::uint32_t known = made.comm({0, 1}, {}, {{1}, {0}}), unknown = made.comm({0, 1});
  for (const std::uint32_t comm : {known, unknown}) {
    made.collective(0, "MPI_Neighbor_alltoallv", 8, 0.01, -1, comm);
    made.collective(1, "MPI_Neighbor_alltoallv", 8, 0.01, -1, comm);
  }
  EXPECT_FALSE(waits_but_at_the_end(Prepared(made.take())));
}

TEST(WaitStates, AnOriginWaitsForTheLastPostWhereverItsLibraryDoes) {
  for (const bool at_start : {true, false}) {
    MadeTrace made(3);
    const std::uint32_t window = made.comm({0, 1, 2});
    made.compute(2, 0.5);
    made.epoch(0, "MPI_Win_start", at_start ? 0.5 : 0, window, {1, 2});
    made.epoch(0, "MPI_Win_complete", at_start ? 0.01 : 0.51, window);
    for (const int target : {1, 2}) {
      made.epoch(target, "MPI_Win_post", 0, window, {0});
      made.compute(target, 0.7 - made.now(target));
      made.epoch(target, "MPI_Win_wait", 0.01, window);
    }
    expect_only(Prepared(made.take()), WaitKind::late_post, 0.5, 0);
  }
}

TEST(WaitStates, ATargetWaitsForTheLastCompleteOfTheSameEpoch) {
  MadeTrace made(3);
  const std::uint32_t window = made.comm({0, 1, 2}), other = made.comm({0, 1, 2});
  // Before, rank 1 has ended an exposure by MPI_Win_test, which is not in the list.
  made.epoch(1, "MPI_Win_post", 0, window, {0});
  made.epoch(0, "MPI_Win_start", 0, window, {1});
  made.epoch(0, "MPI_Win_complete", 0, window);
  made.compute(1, 0.1);
  made.epoch(1, "MPI_Win_post", 0, other, {2});
  made.epoch(1, "MPI_Win_post", 0, window, {0, 2});
  made.epoch(1, "MPI_Win_wait", 0.4, window);
  made.compute(0, 0.2);
  made.epoch(0, "MPI_Win_start", 0, window, {1});
  made.epoch(0, "MPI_Win_complete", 0.01, window);
  made.compute(2, 0.2);
  made.epoch(2, "MPI_Win_start", 0, window, {1});
  made.compute(2, 0.3);
  made.epoch(2, "MPI_Win_complete", 0, window);
  expect_only(Prepared(made.take()), WaitKind::late_complete, 0.4, 1);
}

TEST(WaitStates, PollingForTheEndOfAnExposureIsWaitingForTheCompletes) {
  MadeTrace made(2);
  const std::uint32_t window = made.comm({0, 1});
  made.epoch(1, "MPI_Win_post", 0, window, {0});
  made.poll(1, 0.3, "MPI_Win_test");
  made.lock(1, "MPI_Win_test", 0.01, window, -1, PLAIT_SHAPE_TEST);
  made.epoch(0, "MPI_Win_start", 0, window, {1});
  made.compute(0, 0.3);
  made.epoch(0, "MPI_Win_complete", 0, window);
  expect_only(Prepared(made.take()), WaitKind::late_complete, 0.3, 1);
}

constexpr std::uint32_t kShared = 0;

/// Rank 1 locks a window until 0.5; rank 0 does so from 0.1 on.
Prepared two_locks(std::uint32_t held, std::uint32_t wanted, bool lazy, int target = 2,
                   int wanted_target = 2) {
  MadeTrace made(3);
  const std::uint32_t window = made.comm({0, 1, 2});
  const char* const lock = target < 0 ? "MPI_Win_lock_all" : "MPI_Win_lock";
  const char* const unlock = target < 0 ? "MPI_Win_unlock_all" : "MPI_Win_unlock";
  made.lock(1, lock, 0, window, target, held);
  made.compute(1, 0.5);
  made.lock(1, unlock, 0.01, window, target);
  const char* const other_lock = wanted_target < 0 ? "MPI_Win_lock_all" : "MPI_Win_lock";
  const char* const other_unlock = wanted_target < 0 ? "MPI_Win_unlock_all" : "MPI_Win_unlock";
  made.compute(0, 0.1);
  made.lock(0, other_lock, lazy ? 0 : 0.41, window, wanted_target, wanted);
  made.lock(0, other_unlock, lazy ? 0.41 : 0.005, window, wanted_target);
  made.collective(2, "MPI_Barrier", 0, 0.6, -1, made.comm({2}));
  return Prepared(made.take());
}

TEST(WaitStates, AnOriginWaitsForTheRankThatHoldsAConflictingLockWhereverItsLibraryDoes) {
  for (const bool lazy : {false, true}) {
    expect_only(two_locks(PLAIT_SHAPE_EXCLUSIVE, PLAIT_SHAPE_EXCLUSIVE, lazy), WaitKind::lock, 0.4,
                0);
    expect_only(two_locks(PLAIT_SHAPE_EXCLUSIVE, kShared, lazy), WaitKind::lock, 0.4, 0);
    expect_only(two_locks(kShared, PLAIT_SHAPE_EXCLUSIVE, lazy), WaitKind::lock, 0.4, 0);
    expect_only(two_locks(kShared, PLAIT_SHAPE_EXCLUSIVE, lazy, -1), WaitKind::lock, 0.4, 0);
    expect_only(two_locks(PLAIT_SHAPE_EXCLUSIVE, kShared, lazy, 2, -1), WaitKind::lock, 0.4, 0);
  }
}

TEST(WaitStates, LocksThatDoNotConflictAreNotWaitedFor) {
  EXPECT_FALSE(waits_but_at_the_end(two_locks(kShared, kShared, false)));
  EXPECT_FALSE(waits_but_at_the_end(two_locks(kShared, kShared, false, -1)));
  EXPECT_FALSE(
      waits_but_at_the_end(two_locks(PLAIT_SHAPE_EXCLUSIVE, PLAIT_SHAPE_EXCLUSIVE, false, 1)));
  EXPECT_FALSE(waits_but_at_the_end(
      two_locks(PLAIT_SHAPE_EXCLUSIVE | PLAIT_SHAPE_NO_LOCK, PLAIT_SHAPE_EXCLUSIVE, false)));
}

TEST(WaitStates, OfSeveralHoldersTheLastOneCounts) {
  MadeTrace made(4);
  const std::uint32_t window = made.comm({0, 1, 2, 3});
  for (const int rank : {1, 2}) {
    made.lock(rank, "MPI_Win_lock", 0, window, 3, kShared);
    made.compute(rank, rank == 1 ? 0.5 : 0.3);
    made.lock(rank, "MPI_Win_unlock", 0.01, window, 3);
  }
  made.compute(0, 0.1);
  made.lock(0, "MPI_Win_lock", 0.41, window, 3, PLAIT_SHAPE_EXCLUSIVE);
  made.lock(0, "MPI_Win_unlock", 0, window, 3);
  made.collective(3, "MPI_Barrier", 0, 0.6, -1, made.comm({3}));
  const Prepared program(made.take());
  expect_only(program, WaitKind::lock, 0.4, 0);
  EXPECT_EQ(program.lanes.all[program.waits.of[0][0].by_lane].rank, 1U);
}

TEST(WaitStates, AnUnlockThatReturnsLateDoesNotWaitForTheNextHolder) {
  MadeTrace made(3);
  const std::uint32_t window = made.comm({0, 1, 2});
  made.lock(0, "MPI_Win_lock", 0, window, 2, PLAIT_SHAPE_EXCLUSIVE);
  made.compute(0, 0.1);
  made.lock(0, "MPI_Win_unlock", 0.5, window, 2);  // loses its CPU after the release
  made.lock(1, "MPI_Win_lock", 0.101, window, 2, PLAIT_SHAPE_EXCLUSIVE);
  made.compute(1, 0.1);
  made.lock(1, "MPI_Win_unlock", 0.001, window, 2);
  made.collective(2, "MPI_Barrier", 0, 0.7, -1, made.comm({2}));
  expect_only(Prepared(made.take()), WaitKind::lock, 0.1, 1);
}

/// Rank 1 calls MPI only at 0.5 and 1.01; rank 0 puts into its window at 0.1 and 0.7.
bool waits_for_progress(double unlock_s, std::uint64_t bytes, double next_unlock_s) {
  MadeTrace made(2);
  const std::uint32_t window = made.comm({0, 1});
  made.compute(1, 0.5);
  made.other(1, "MPI_Wtime", 0.01);
  made.compute(1, 0.5);
  made.other(1, "MPI_Wtime", 0.01);
  made.compute(0, 0.1);
  for (const double seconds : {unlock_s, next_unlock_s}) {
    made.lock(0, "MPI_Win_lock", 0, window, 1, kShared);
    made.put(0, 0, window, 1, bytes);
    made.lock(0, "MPI_Win_unlock", seconds, window, 1);
    made.compute(0, std::max(0.0, 0.7 - made.now(0)));
  }
  const Prepared program(made.take());
  return std::ranges::any_of(
      program.states, [](const WaitState& state) { return state.kind == WaitKind::progress; });
}

TEST(WaitStates, ATargetThatComputesIsWaitedForOnlyIfCallsNeverEndWithoutIt) {
  EXPECT_TRUE(waits_for_progress(0.41, 8, 0.32));
  EXPECT_FALSE(waits_for_progress(0.41, 8, 0.1));           // one ends while the target computes
  EXPECT_FALSE(waits_for_progress(0.41, 400 << 20, 0.32));  // may be the transfer
}

TEST(WaitStates, ABarrierOfTwoGroupsWaitsForTheOtherGroup) {
  MadeTrace made(4);
  const std::uint32_t comm = made.comm({0, 1}, {2, 3});
  made.compute(1, 0.9);
  made.compute(2, 0.3);
  made.compute(3, 0.4);
  // Rank 0 waits for rank 3, not for rank 1 in its own group.
  made.collective(0, "MPI_Barrier", 0, 0.4, -1, comm);
  made.collective(1, "MPI_Barrier", 0, 0, -1, comm);
  made.collective(2, "MPI_Barrier", 0, 0.6, -1, comm);
  made.collective(3, "MPI_Barrier", 0, 0.5, -1, comm);
  expect_only(Prepared(made.take()), WaitKind::barrier, 0.4 + 0.6 + 0.5, 2, 3);
}

TEST(WaitStates, ABroadcastBetweenGroupsWaitsForTheRootInTheOtherGroup) {
  MadeTrace made(4);
  const std::uint32_t comm = made.comm({0, 1}, {2, 3});
  made.compute(0, 0.9);
  made.compute(1, 0.5);
  // Rank 1 is the root. Rank 0 takes no part, though it comes last.
  made.collective(0, "MPI_Bcast", 0, 0, PLAIT_NULL_PEER, comm);
  made.collective(1, "MPI_Bcast", 8, 0, PLAIT_ROOT_PEER, comm);
  made.collective(2, "MPI_Bcast", 8, 0.5, 1, comm);
  made.collective(3, "MPI_Bcast", 8, 0.5, 1, comm);
  expect_only(Prepared(made.take()), WaitKind::late_root, 1.0, 2, 2);
}

TEST(WaitStates, AReductionBetweenGroupsMakesItsRootWait) {
  MadeTrace made(4);
  const std::uint32_t comm = made.comm({0, 1}, {2, 3});
  made.compute(1, 0.9);
  made.compute(3, 0.5);
  made.collective(0, "MPI_Reduce", 8, 0.5, PLAIT_ROOT_PEER, comm);
  made.collective(1, "MPI_Reduce", 0, 0, PLAIT_NULL_PEER, comm);
  made.collective(2, "MPI_Reduce", 8, 0, 0, comm);
  made.collective(3, "MPI_Reduce", 8, 0, 0, comm);
  expect_only(Prepared(made.take()), WaitKind::early_root, 0.5, 0);
}

TEST(WaitStates, LeavingInitLaterThanOthersIsWaitingBeforeTheFirstCall) {
  MadeTrace made(2);
  for (const int rank : all_ranks(2)) made.compute(rank, 2.0);
  trace::Trace trace = made.take();
  trace.ranks[1].begin = 500'000'000;
  const Prepared program(std::move(trace));
  expect_only(program, WaitKind::before_first, 0.5, 1);
  EXPECT_NEAR(waiting_by_rank(program.lanes, program.waits)[1], 0.5, kNs);
}

TEST(WaitStates, RanksThatEndEarlyWaitForTheLastUnlessTheyWereKilled) {
  MadeTrace made(3);
  made.compute(0, 1.0);
  made.compute(1, 0.4);
  made.compute(2, 0.7);
  trace::Trace trace = made.take();
  trace.ranks[2].complete = false;
  const Prepared program(std::move(trace));
  ASSERT_EQ(program.states.size(), 1U);
  EXPECT_EQ(program.states[0].kind, WaitKind::at_end);
  EXPECT_NEAR(program.states[0].seconds, 0.6, kNs);
}

TEST(WaitStates, APollingLoopIsOneWait) {
  MadeTrace made(2);
  const auto request = made.ireceive(0, 1, 64, 0);
  for (int poll = 0; poll < 500; ++poll) {
    made.poll(0, 0.9e-6);
    made.compute(0, 0.1e-6);
  }
  made.wait(0, {request}, 1e-6, "MPI_Test");
  made.compute(1, 500e-6);
  made.send(1, 0, 64, 0);
  const Prepared program(made.take());
  expect_only(program, WaitKind::late_sender, 500e-6, 0);
  EXPECT_EQ(program.lanes.all[0].calls.size(), 3U) << "Irecv, the loop, the end";
}

TEST(WaitStates, AProbeWaitsForTheMessageThatIsReceivedAfterIt) {
  MadeTrace made(2);
  made.poll(0, 0.5, "MPI_Probe");
  made.receive(0, 1, 64, 0.01);
  made.compute(1, 0.5);
  made.send(1, 0, 64, 0);
  trace::Trace trace = made.take();
  for (trace::Shape& shape : trace.shapes) {
    if (trace.functions[shape.function] == "MPI_Probe") shape.kind = trace::EventKind::probe;
  }
  expect_only(Prepared(std::move(trace)), WaitKind::late_sender, 0.5, 0);
}

TEST(WaitStates, CallSitesAreSeparate) {
  MadeTrace made(2);
  for (int step = 0; step < 3; ++step) {
    made.compute(1, 0.1);
    made.from(step < 2 ? "loop" : "end");
    together(made, all_ranks(2), "MPI_Barrier");
  }
  const Prepared program(made.take());
  ASSERT_EQ(program.states.size(), 2U);
  EXPECT_EQ(test::site_name(program.trace, program.states[0].site), "loop");
  EXPECT_NEAR(program.states[0].seconds, 0.2, kNs);
  EXPECT_NEAR(program.states[1].seconds, 0.1, kNs);
}

}  // namespace
}  // namespace plait::analysis
