// SPDX-License-Identifier: BSD-3-Clause
// Operations of a job, executed once more.
#include "check/rerun.hpp"

#include <gtest/gtest.h>

#include "check/made_job.hpp"

namespace plait::check {
namespace {

void exchange(MadeJob& made) {
  for (int rank = 0; rank < 2; ++rank) {
    made.send(rank, 1 - rank, 1, kInt, 1);
    made.receive(rank, 1 - rank, 1, kInt, 1);
  }
  made.finalize_all();
}

TEST(Rerun, BufferedSendsEndAtOnce) {
  MadeJob made(2);
  exchange(made);
  const MatchedJob matched(made);
  Rerun rerun(matched.job, matched.collectives, matched.partners, Sends::buffered);
  rerun.run();
  EXPECT_EQ(rerun.blocked_on(0), kNoOp);
  EXPECT_EQ(rerun.blocked_on(1), kNoOp);
}

TEST(Rerun, SynchronousSendsWaitUntilTheyAreReleased) {
  MadeJob made(2);
  exchange(made);
  const MatchedJob matched(made);
  Rerun rerun(matched.job, matched.collectives, matched.partners, Sends::synchronous);
  rerun.run();
  EXPECT_EQ(rerun.blocked_on(0), (OpRef{0, 0}));
  EXPECT_EQ(rerun.needed_by({0, 0}), (OpRef{1, 1}));
  EXPECT_EQ(rerun.lane_of({1, 1}), 1U);
  rerun.release({0, 0});
  rerun.run();
  EXPECT_EQ(rerun.blocked_on(0), kNoOp);
  EXPECT_EQ(rerun.blocked_on(1), kNoOp);
}

TEST(Rerun, WhatATestFoundWaitsOnlyAmongBufferedSends) {
  for (const Sends sends : {Sends::buffered, Sends::synchronous}) {
    MadeJob made(2);
    made.receive(0, 1, 1, kInt, 1).flags = PLAIT_CHECK_NONBLOCKING;
    made.send(1, 0, 1, kInt, 1);
    made.finalize_all();
    const Job& job = made.job();
    const Collectives collectives(job);
    const std::vector<std::vector<OpRef>> never{{OpRef{1, 0}}, {OpRef{0, 0}}};
    Rerun rerun(job, collectives, never, sends);
    EXPECT_FALSE(rerun.can_end({0, 0}));
    rerun.run();
    EXPECT_TRUE(rerun.can_end({0, 0}));
    EXPECT_EQ(rerun.blocked_on(0), kNoOp);
  }
}

}  // namespace
}  // namespace plait::check
