// SPDX-License-Identifier: BSD-3-Clause
// From open calls to deadlocks: which calls wait for which ranks, and which may continue.
#include "check/waiting.hpp"

#include <gtest/gtest.h>

#include "check/made_job.hpp"

namespace plait::check {
namespace {

plait_check_op& open_receive(MadeJob& made, int rank, int from, int tag = 1) {
  plait_check_op& op = made.receive(rank, from, tag, kInt, 1);
  made.open(rank, PLAIT_CHECK_WAIT_ALL, kRecv);
  return op;
}

void open_barrier(MadeJob& made, int rank, std::uint64_t ordinal) {
  made.collective(rank, ordinal, kBarrier);
  made.open(rank, PLAIT_CHECK_WAIT_ALL, kBarrier);
}

TEST(Waiting, ReceivesOfEachOtherAreADeadlock) {
  MadeJob made(2);
  open_receive(made, 0, 1);
  open_receive(made, 1, 0);
  const auto deadlock = find_deadlock(made.job());
  ASSERT_TRUE(deadlock);
  EXPECT_EQ(deadlock->finding.what, "Deadlock: ranks 0 and 1 wait for each other");
  EXPECT_EQ(deadlock->finding.places[0].detail,
            "1 MPI_INT from rank 1, tag 1 on MPI_COMM_WORLD; waits for rank 1");
  EXPECT_EQ(deadlock->calls.size(), 2U);
}

TEST(Waiting, AMessageUnderWayIsWorthWaitingFor) {
  MadeJob made(2);
  made.send(1, 0, 1, kInt, 1);
  open_receive(made, 0, 1);
  open_receive(made, 1, 0);
  EXPECT_FALSE(find_deadlock(made.job()));
}

TEST(Waiting, AMessageOfAnotherTagIsNot) {
  MadeJob made(2);
  made.send(1, 0, 2, kInt, 1);
  open_receive(made, 0, 1);
  open_receive(made, 1, 0);
  EXPECT_TRUE(find_deadlock(made.job()));
}

TEST(Waiting, SendsWaitForReceivesThatAreNotPosted) {
  MadeJob made(2);
  for (const int rank : {0, 1}) {
    made.send(rank, 1 - rank, 3, kDouble, 100000);
    made.open(rank, PLAIT_CHECK_WAIT_ALL, kSend);
  }
  EXPECT_TRUE(find_deadlock(made.job()));
}

TEST(Waiting, SendsWithAReceiveAreUnderWay) {
  MadeJob made(2);
  made.receive(1, 0, 3, kDouble, 100000).state = PLAIT_CHECK_OPEN;
  for (const int rank : {0, 1}) {
    made.send(rank, 1 - rank, 3, kDouble, 100000);
    made.open(rank, PLAIT_CHECK_WAIT_ALL, kSend);
  }
  EXPECT_FALSE(find_deadlock(made.job()));
}

TEST(Waiting, ARankThatComputesMayStillSend) {
  MadeJob made(3);
  open_receive(made, 0, 1);
  open_receive(made, 1, 2);
  made.computes(2);
  EXPECT_FALSE(find_deadlock(made.job()));
}

TEST(Waiting, AnySourceIsADeadlockOnlyWhenAllWait) {
  MadeJob all(3);
  for (int rank = 0; rank < 3; ++rank) open_receive(all, rank, PLAIT_CHECK_ANY);
  const auto deadlock = find_deadlock(all.job());
  ASSERT_TRUE(deadlock);
  EXPECT_EQ(deadlock->finding.places.size(), 3U);
  MadeJob one(3);
  for (int rank = 0; rank < 2; ++rank) open_receive(one, rank, PLAIT_CHECK_ANY);
  one.computes(2);
  EXPECT_FALSE(find_deadlock(one.job()));
}

TEST(Waiting, WaitallNeedsAllAndWaitanyOne) {
  for (const bool any : {false, true}) {
    MadeJob made(3);
    made.receive(0, 1, 1, kInt, 1);
    made.receive(0, 2, 1, kInt, 1);
    made.open(0, any ? PLAIT_CHECK_WAIT_ANY : PLAIT_CHECK_WAIT_ALL, any ? kWaitany : kWaitall, 2);
    open_receive(made, 1, 0);
    made.computes(2);
    EXPECT_EQ(find_deadlock(made.job()).has_value(), !any);
  }
}

TEST(Waiting, UnknownRequestsMayEndAWaitany) {
  MadeJob made(2);
  made.receive(0, 1, 1, kInt, 1);
  made.open(0, PLAIT_CHECK_WAIT_ANY, kWaitany);
  made.process(0).threads.back().unknown = 1;
  open_receive(made, 1, 0);
  EXPECT_FALSE(find_deadlock(made.job()));
}

TEST(Waiting, ABarrierWaitsForRanksThatHaveNotReachedIt) {
  MadeJob made(3);
  open_barrier(made, 0, 0);
  open_barrier(made, 1, 0);
  open_receive(made, 2, 0);
  const auto deadlock = find_deadlock(made.job());
  ASSERT_TRUE(deadlock);
  EXPECT_EQ(deadlock->finding.what, "Deadlock: ranks 0 and 2 wait for each other");
}

TEST(Waiting, ABarrierThatAllHaveReachedEnds) {
  MadeJob made(3);
  for (int rank = 0; rank < 3; ++rank) open_barrier(made, rank, 0);
  EXPECT_FALSE(find_deadlock(made.job()));
}

TEST(Waiting, FinalizeWaitsForTheOthers) {
  MadeJob made(2);
  made.open(0, PLAIT_CHECK_WAIT_FINALIZE, kFinalize, 0);
  made.process(0).finalized = 1;
  open_receive(made, 1, 0);
  EXPECT_TRUE(find_deadlock(made.job()));
}

TEST(Waiting, ABarrierThatOneNeverCallsIsMissing) {
  MadeJob made(3);
  open_barrier(made, 0, 0);
  open_barrier(made, 2, 0);
  made.open(1, PLAIT_CHECK_WAIT_FINALIZE, kFinalize, 0);
  made.process(1).finalized = 1;
  const auto deadlock = find_deadlock(made.job());
  ASSERT_TRUE(deadlock);
  const Finding& finding = deadlock->finding;
  EXPECT_EQ(finding.kind, "collective_missing");
  EXPECT_EQ(finding.what,
            "MPI_Barrier on MPI_COMM_WORLD is not called by rank 1, which called "
            "MPI_Finalize");
  ASSERT_EQ(finding.places.size(), 2U);
  EXPECT_EQ(finding.places[0].ranks, (std::vector<int>{0, 2}));
  EXPECT_EQ(finding.places[1].function, "MPI_Finalize");
  EXPECT_EQ(deadlock->calls.size(), 3U);
}

TEST(Waiting, AMessageWithAnotherTagIsReportedAtTheReceive) {
  MadeJob made(2);
  made.send(0, 1, 3, kInt, 1);
  made.open(0, PLAIT_CHECK_WAIT_ALL, kSend);
  open_receive(made, 1, 0, 4);
  const auto deadlock = find_deadlock(made.job());
  ASSERT_TRUE(deadlock);
  EXPECT_EQ(deadlock->finding.places[1].detail,
            "1 MPI_INT from rank 0, tag 4 on MPI_COMM_WORLD; waits for rank 0 and tag 4; an "
            "unmatched message from there has tag 3");
  EXPECT_TRUE(deadlock->finding.remedy.starts_with("use the same tag in the send and the receive"));
}

TEST(Waiting, ARankThatHasEndedIsNamed) {
  MadeJob made(2);
  open_receive(made, 0, 1);
  made.process(1).finalized = 2;
  const auto deadlock = find_deadlock(made.job());
  ASSERT_TRUE(deadlock);
  EXPECT_EQ(deadlock->finding.what, "Deadlock: rank 0 waits for rank 1, which called MPI_Finalize");
  EXPECT_TRUE(deadlock->finding.remedy.starts_with("rank 1 no longer sends"));
}

TEST(Waiting, CallsWithUnknownPartnersMayEnd) {
  MadeJob made(2);
  open_receive(made, 0, 1);
  made.open(1, PLAIT_CHECK_WAIT_UNKNOWN, kIsend, 0);
  EXPECT_FALSE(find_deadlock(made.job()));
}

TEST(Waiting, DifferingCollectivesAreStuckWhenAllAreInside) {
  MadeJob made(2);
  open_barrier(made, 0, 0);
  made.collective(1, 0, kAllreduce);
  made.open(1, PLAIT_CHECK_WAIT_ALL, kAllreduce);
  const Job& job = made.job();
  EXPECT_FALSE(find_deadlock(job));
  EXPECT_EQ(differing_calls(job).size(), 2U);
}

TEST(Waiting, ARankLeftInACallOfOtherCountsIsStuckWhenTheOthersFinalize) {
  for (const std::uint64_t count : {2U, 3U}) {
    MadeJob made(3);
    for (int rank = 0; rank < 3; ++rank) {
      plait_check_op& op = made.collective(rank, 0, kAllreduce);
      op.flags = PLAIT_CHECK_SENDS;
      op.type = kInt;
      op.count = rank == 1 ? count : 3;
      if (rank == 2) made.open(rank, PLAIT_CHECK_WAIT_ALL, kAllreduce);
      if (rank == 2) continue;
      made.process(rank).finalized = 1;
      made.open(rank, PLAIT_CHECK_WAIT_FINALIZE, kFinalize, 0);
    }
    EXPECT_EQ(differing_calls(made.job()).size(), count == 3 ? 0U : 3U);
  }
}

TEST(Waiting, DifferingCollectivesAreNotStuckWhileOneComputes) {
  MadeJob made(3);
  open_barrier(made, 0, 0);
  made.collective(1, 0, kAllreduce);
  made.open(1, PLAIT_CHECK_WAIT_ALL, kAllreduce);
  made.computes(2);
  EXPECT_TRUE(differing_calls(made.job()).empty());
}

/// A broadcast of rank 0 to the group of ranks 2 and 3, of which rank 3 is not there yet.
MadeJob broadcast_between_groups() {
  MadeJob made(4);
  made.between({0, 1});
  made.collective(0, 0, kBcast, PLAIT_CHECK_ROOT);
  made.collective(2, 0, kBcast, 0);
  made.open(2, PLAIT_CHECK_WAIT_ALL, kBcast);
  return made;
}

TEST(Waiting, BetweenGroupsABroadcastDoesNotNeedRanksBesidesTheRoot) {
  MadeJob made = broadcast_between_groups();
  made.collective(3, 0, kBcast, 0);
  made.open(3, PLAIT_CHECK_WAIT_ALL, kBcast);
  made.computes(0);
  open_receive(made, 1, 3);  // has not called MPI_Bcast, and the others do not need that
  EXPECT_FALSE(find_deadlock(made.job()));
}

TEST(Waiting, BetweenGroupsARankWithoutARootWaitsForNobody) {
  MadeJob made(4);
  made.between({0, 1});
  made.collective(1, 0, kBcast, PLAIT_CHECK_NULL);
  made.open(1, PLAIT_CHECK_WAIT_ALL, kBcast);
  for (const int rank : {0, 2, 3}) open_receive(made, rank, rank == 0 ? 0 : rank - 2);
  const auto deadlock = find_deadlock(made.job());
  ASSERT_TRUE(deadlock);
  for (const OpenCall& call : deadlock->calls) EXPECT_NE(call.process, 1U);
}

TEST(Waiting, BetweenGroupsABroadcastWaitsForItsRootAndItsOwnGroup) {
  MadeJob made = broadcast_between_groups();
  open_receive(made, 3, 0);  // of its other group: rank 2
  made.computes(0);
  made.computes(1);
  const auto deadlock = find_deadlock(made.job());
  EXPECT_FALSE(deadlock);
  MadeJob stuck = broadcast_between_groups();
  open_receive(stuck, 0, 0);
  open_receive(stuck, 1, 0);
  open_receive(stuck, 3, 0);  // waits for rank 0, which waits for rank 2, which waits for rank 3
  EXPECT_TRUE(find_deadlock(stuck.job()));
}

TEST(Waiting, AMemberThatComputesMayProgressACallOfOthers) {
  MadeJob made(3);
  plait_check_op& begun = made.collective(1, 0, kBarrier);
  begun.flags = PLAIT_CHECK_NONBLOCKING;
  begun.state = PLAIT_CHECK_OPEN;
  made.computes(1);
  open_barrier(made, 0, 0);
  open_receive(made, 2, 0);
  EXPECT_FALSE(find_deadlock(made.job()));
  made.process(1).threads.clear();
  made.open(1, PLAIT_CHECK_WAIT_ALL, kWaitall);
  EXPECT_TRUE(find_deadlock(made.job()));
}

TEST(Waiting, NothingIsSaidOfACommunicatorThatIsNotCertain) {
  MadeJob made(2);
  for (const int rank : {0, 1}) {
    open_receive(made, rank, 1 - rank);
    made.process(rank).comms[1].flags = PLAIT_CHECK_COMM_UNCERTAIN;
  }
  EXPECT_FALSE(find_deadlock(made.job()));
}

TEST(Waiting, RanksThatPollForEachOtherAreStuck) {
  MadeJob made(2);
  for (int rank = 0; rank < 2; ++rank) {
    made.receive(rank, 1 - rank, 1, kInt, 1).flags = PLAIT_CHECK_NONBLOCKING;
    made.polls(rank);
  }
  const auto deadlock = find_deadlock(made.job());
  ASSERT_TRUE(deadlock.has_value());
  EXPECT_TRUE(deadlock->calls[0].polls);
  EXPECT_EQ(deadlock->calls[0].sequence, 5U);
}

TEST(Waiting, ARankThatPollsForAMessageThatWasSentGoesOn) {
  MadeJob made(2);
  made.receive(0, 1, 1, kInt, 1).flags = PLAIT_CHECK_NONBLOCKING;
  made.polls(0);
  made.send(1, 0, 1, kInt, 1);
  made.open(1, PLAIT_CHECK_WAIT_ALL, kSend);
  EXPECT_FALSE(find_deadlock(made.job()).has_value());
}

TEST(Waiting, ARankThatPollsForSomethingUnknownGoesOn) {
  MadeJob made(2);
  for (int rank = 0; rank < 2; ++rank) {
    made.receive(rank, 1 - rank, 1, kInt, 1).flags = PLAIT_CHECK_NONBLOCKING;
    made.polls(rank);
  }
  made.process(0).threads[0].polls.unknown = 1;
  EXPECT_FALSE(find_deadlock(made.job()).has_value());
}

}  // namespace
}  // namespace plait::check
