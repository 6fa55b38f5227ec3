// SPDX-License-Identifier: BSD-3-Clause
// Tests of analyses of traces of some ranks only.
#include "analysis/untraced.hpp"

#include <gtest/gtest.h>

#include "analysis/analysis.hpp"
#include "plait/error.hpp"
#include "programs.hpp"

namespace plait::analysis {
namespace {

/// Rank 0 waits for rank 2 (left out) and for rank 1; then all meet.
trace::Trace some_ranks() {
  trace::MadeTrace made(3);
  made.compute(0, 1);
  made.compute(1, 2);
  made.from("from the rank left out");
  made.receive(0, 2, 8, 4);
  made.from("from a traced rank");
  made.send(1, 0, 8, 0.1);
  made.receive(0, 1, 8, 0.1);
  made.from("to the rank left out");
  made.send(1, 2, 8, 0.6);
  made.from("together");
  test::together(made, {0, 1}, "MPI_Barrier", 0, 0.25);
  trace::Trace trace = made.take();
  trace.ranks[2].left_out = true;
  trace.left_out = 1;
  trace::match(trace);
  return trace;
}

TEST(UntracedRanks, MessagesToThemAreNotMissing) {
  const trace::Trace trace = some_ranks();
  EXPECT_EQ(trace.unmatched_sends + trace.unmatched_receives, 0u);
  EXPECT_EQ(trace.untraced_sends, 1u);
  EXPECT_EQ(trace.untraced_receives, 1u);
  EXPECT_EQ(analyze(trace, nullptr).without_partner, 0);
}

TEST(UntracedRanks, TimeInCallsWithThemIsAWaitStateOfItsOwn) {
  const test::Prepared of(some_ranks());
  const std::vector<WaitState> states = untraced_waits(of.trace, of.lanes, of.waits);
  ASSERT_EQ(states.size(), 3u);
  EXPECT_EQ(test::site_name(of.trace, states[0].site), "from the rank left out");
  EXPECT_NEAR(states[0].seconds, 4, 1e-6);
  EXPECT_EQ(states[0].worst_rank, 0);
  // Waiting for a traced rank is not part of it.
  EXPECT_EQ(test::site_name(of.trace, states[1].site), "to the rank left out");
  EXPECT_EQ(test::site_name(of.trace, states[2].site), "together");
  EXPECT_NEAR(states[2].seconds, 2 * 0.25, 1e-6);
  for (const WaitState& state : states) EXPECT_EQ(state.kind, WaitKind::untraced);
}

TEST(UntracedRanks, NothingIsConcludedThatNeedsAllRanks) {
  const Analysis analysis = analyze(some_ranks(), nullptr);
  EXPECT_EQ(analysis.traced_ranks, 2u);
  EXPECT_EQ(analysis.ideal_s, 0);
  EXPECT_TRUE(analysis.critical_path.owners.empty());
  ASSERT_FALSE(analysis.causes.empty());
  EXPECT_EQ(analysis.causes.front().kind, kUntraced);
  for (const RootCause& cause : analysis.causes) EXPECT_NE(cause.kind, "transfer");
  for (const PopSet& set : analysis.efficiencies) {
    EXPECT_FALSE(set.serialization || set.transfer);
    EXPECT_TRUE(set.load_balance);
  }
  EXPECT_NE(analysis.notes.front().find("traced: 2 of 3 ranks"), std::string::npos);
}

TEST(UntracedRanks, AReplayRefusesThem) {
  const trace::Trace trace = some_ranks();
  try {
    trace::require_all_ranks(trace, "run", "a replay");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "run: only 2 of 3 ranks were traced, and a replay needs all; record it again "
                 "without --trace-ranks");
  }
}

}  // namespace
}  // namespace plait::analysis
