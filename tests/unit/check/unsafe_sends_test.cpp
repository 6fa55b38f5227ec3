// SPDX-License-Identifier: BSD-3-Clause
// Sends that end only because MPI buffers their messages.
#include "check/unsafe_sends.hpp"

#include <gtest/gtest.h>

#include "check/made_job.hpp"

namespace plait::check {
namespace {

std::vector<Finding> found(MadeJob& made) {
  made.finalize_all();
  const Job& job = made.job();
  return unsafe_sends(job, Messages(job), Collectives(job));
}

TEST(UnsafeSends, ARingThatSendsFirstIsOneFinding) {
  MadeJob made(3);
  for (int round = 0; round < 2; ++round) {
    for (int rank = 0; rank < 3; ++rank) {
      made.send(rank, (rank + 1) % 3, 1, kInt, 1);
      made.receive(rank, (rank + 2) % 3, 1, kInt, 1);
    }
  }
  const auto all = found(made);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].kind, "unsafe_send");
  EXPECT_EQ(all[0].count, 2U);
  EXPECT_EQ(all[0].places.size(), 3U);
}

TEST(UnsafeSends, ARingOfWhichOneRankReceivesFirstIsSafe) {
  MadeJob made(3);
  for (int rank = 0; rank < 3; ++rank) {
    if (rank == 2) made.receive(rank, 1, 1, kInt, 1);
    made.send(rank, (rank + 1) % 3, 1, kInt, 1);
    if (rank < 2) made.receive(rank, (rank + 2) % 3, 1, kInt, 1);
  }
  EXPECT_TRUE(found(made).empty());
}

TEST(UnsafeSends, BufferedSendsAreSafe) {
  MadeJob made(2);
  for (int rank = 0; rank < 2; ++rank) {
    made.send(rank, 1 - rank, 1, kInt, 1).flags |= PLAIT_CHECK_BUFFERED;
    made.receive(rank, 1 - rank, 1, kInt, 1);
  }
  EXPECT_TRUE(found(made).empty());
}

TEST(UnsafeSends, ABarrierBeforeTheReceiveNeedsABuffer) {
  MadeJob made(2);
  made.send(0, 1, 1, kInt, 1);
  made.collective(0, 0, kBarrier);
  made.collective(1, 0, kBarrier);
  made.receive(1, 0, 1, kInt, 1);
  const auto all = found(made);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].places[1].function, "MPI_Barrier");
}

TEST(UnsafeSends, ABroadcastDoesNotHoldItsRoot) {
  MadeJob made(2);
  made.collective(0, 0, kBcast, 0);
  made.receive(0, 1, 1, kInt, 1);
  made.send(1, 0, 1, kInt, 1);
  made.collective(1, 0, kBcast, 0);
  EXPECT_TRUE(found(made).empty());
}

TEST(UnsafeSends, AReceiveFromAnySourceMayGetAnotherMessage) {
  MadeJob made(3);
  // Rank 0 got the message of rank 2 first, but that of rank 1 would have done.
  made.receive(0, 2, 1, kInt, 1).peer = PLAIT_CHECK_ANY;
  made.receive(0, 1, 1, kInt, 1).peer = PLAIT_CHECK_ANY;
  made.send(1, 0, 1, kInt, 1);
  made.send(1, 2, 2, kInt, 1);
  made.receive(2, 1, 2, kInt, 1);
  made.send(2, 0, 1, kInt, 1);
  EXPECT_TRUE(found(made).empty());
}

}  // namespace
}  // namespace plait::check
