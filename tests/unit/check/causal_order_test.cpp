// SPDX-License-Identifier: BSD-3-Clause
// Which sends depend on the end of receives from any source.
#include "check/causal_order.hpp"

#include <gtest/gtest.h>

#include "check/made_job.hpp"

namespace plait::check {
namespace {

/// Rank 0 receives from any source, then tells rank 1, which answers; rank 2 sends at any time.
void job_with_answer(MadeJob& made) {
  made.receive(0, 1, 1, kInt, 1).peer = PLAIT_CHECK_ANY;
  made.send(0, 1, 2, kInt, 1);
  made.receive(0, 1, 1, kInt, 1);
  made.receive(0, 2, 1, kInt, 1);
  made.send(1, 0, 1, kInt, 1);
  made.receive(1, 0, 2, kInt, 1);
  made.send(1, 0, 1, kInt, 1);
  made.send(2, 0, 1, kInt, 1);
  made.finalize_all();
}

TEST(CausalOrder, AnAnswerDependsOnWhatItAnswers) {
  MadeJob made(3);
  job_with_answer(made);
  const MatchedJob matched(made);
  const CausalOrder order(matched.job, matched.collectives, matched.partners);
  ASSERT_TRUE(order.is_known());
  EXPECT_TRUE(order.is_receiver(0));
  EXPECT_FALSE(order.is_receiver(1));
  EXPECT_FALSE(order.is_before({0, 0}, {1, 0}));
  EXPECT_TRUE(order.is_before({0, 0}, {1, 2}));
  EXPECT_FALSE(order.is_before({0, 0}, {2, 0}));
}

TEST(CausalOrder, SeveralThreadsMakeItUnknown) {
  MadeJob made(2);
  made.receive(0, 1, 1, kInt, 1).peer = PLAIT_CHECK_ANY;
  made.send(1, 0, 1, kInt, 1);
  made.send(1, 0, 2, kInt, 1).thread = 1;
  made.finalize_all();
  const MatchedJob matched(made);
  const CausalOrder order(matched.job, matched.collectives, matched.partners);
  EXPECT_FALSE(order.is_known());
  EXPECT_TRUE(order.has_receivers());
}

}  // namespace
}  // namespace plait::check
