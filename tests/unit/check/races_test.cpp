// SPDX-License-Identifier: BSD-3-Clause
// Receives from any source that could have got another message.
#include "check/races.hpp"

#include <gtest/gtest.h>

#include "check/made_job.hpp"

namespace plait::check {
namespace {

Races found(MadeJob& made) {
  made.finalize_all();
  const Job& job = made.job();
  return find_races(job, Messages(job), Collectives(job));
}

/// Rank 0 gets a message of rank 2 from any source, then one of rank 1.
void two_messages(MadeJob& made, bool named, std::uint64_t count, bool ignores_status = false) {
  plait_check_op& first = made.receive(0, 2, 1, kInt, 1);
  first.peer = PLAIT_CHECK_ANY;
  if (ignores_status) first.flags |= PLAIT_CHECK_NO_STATUS;
  made.receive(0, 1, 1, kInt, count).peer = named ? 1 : PLAIT_CHECK_ANY;
  made.send(1, 0, 1, kInt, count);
  made.send(2, 0, 1, kInt, 1);
}

TEST(Races, AMessageThatDoesNotFitIsAWarning) {
  MadeJob made(3);
  two_messages(made, false, 2);
  const Races races = found(made);
  ASSERT_EQ(races.findings.size(), 1U);
  EXPECT_EQ(races.findings[0].kind, "message_race");
  EXPECT_EQ(races.findings[0].places.size(), 4U);
}

TEST(Races, AProgramThatAsksForTheSenderMayActOnIt) {
  MadeJob made(3);
  two_messages(made, true, 1);
  EXPECT_TRUE(found(made).findings.empty());
}

TEST(Races, AMessageThatALaterReceiveWaitsForIsAWarning) {
  MadeJob made(3);
  two_messages(made, true, 1, true);
  EXPECT_EQ(found(made).findings.size(), 1U);
}

TEST(Races, MessagesInAnyOrderAreANote) {
  MadeJob made(3);
  two_messages(made, false, 1, true);
  const Races races = found(made);
  EXPECT_TRUE(races.findings.empty());
  EXPECT_EQ(races.notes.size(), 1U);
}

TEST(Races, AMessageSentAfterABarrierCannotComeFirst) {
  MadeJob made(3);
  made.receive(0, 2, 1, kInt, 1).peer = PLAIT_CHECK_ANY;
  for (int rank = 0; rank < 3; ++rank) {
    if (rank == 2) made.send(2, 0, 1, kInt, 1);
    made.collective(rank, 0, kBarrier);
  }
  made.receive(0, 1, 1, kInt, 2);
  made.send(1, 0, 1, kInt, 2);
  EXPECT_TRUE(found(made).findings.empty());
}

}  // namespace
}  // namespace plait::check
