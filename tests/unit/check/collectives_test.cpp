// SPDX-License-Identifier: BSD-3-Clause
// Collective calls that differ across ranks, where MPI forbids and where it allows it.
#include "check/collectives.hpp"

#include <gtest/gtest.h>

#include "check/made_job.hpp"

namespace plait::check {
namespace {

using Kinds = std::vector<std::string>;

Kinds kinds(const Job& job) {
  Kinds list;
  for (const Finding& finding : Collectives(job).findings()) list.push_back(finding.kind);
  return list;
}

void broadcast(MadeJob& made, int rank, int root, MadeType type, std::uint64_t count,
               std::uint64_t ordinal = 0) {
  plait_check_op& op = made.collective(rank, ordinal, kBcast, root);
  op.flags = PLAIT_CHECK_SENDS;
  op.type = type;
  op.count = count;
}

TEST(Collectives, EqualOnesAreNoFinding) {
  MadeJob made(3);
  for (int rank = 0; rank < 3; ++rank) broadcast(made, rank, 1, kInt, 4);
  EXPECT_EQ(kinds(made.job()), Kinds{});
}

TEST(Collectives, DifferentFunctionsAreReportedOnceAndLaterCallsAreNot) {
  MadeJob made(3);
  for (int rank = 0; rank < 3; ++rank) {
    made.collective(rank, 0, rank == 1 ? kBarrier : kAllreduce);
    made.collective(rank, 1, rank == 1 ? kAllreduce : kBarrier);
  }
  const auto findings = Collectives(made.job()).findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, "collective_kind");
  ASSERT_EQ(findings[0].places.size(), 2U);
  EXPECT_EQ(findings[0].places[0].ranks, (std::vector<int>{0, 2}));
  EXPECT_EQ(findings[0].places[1].ranks, (std::vector<int>{1}));
  EXPECT_EQ(findings[0].places[1].function, "MPI_Barrier");
}

TEST(Collectives, DifferentRootsAreReported) {
  MadeJob made(2);
  broadcast(made, 0, 0, kInt, 4);
  broadcast(made, 1, 1, kInt, 4);
  EXPECT_EQ(kinds(made.job()), Kinds{"collective_root"});
}

TEST(Collectives, DifferentOperationsAreNamed) {
  MadeJob made(3);
  made.collective(0, 0, kAllreduce).operation = 1;
  made.collective(1, 0, kAllreduce).operation = 3;
  made.collective(2, 0, kAllreduce).operation = PLAIT_CHECK_USER_OPERATION;
  const auto findings = Collectives(made.job()).findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, "collective_operation");
  ASSERT_EQ(findings[0].places.size(), 3U);
  EXPECT_EQ(findings[0].places[0].detail, "with MPI_MAX on MPI_COMM_WORLD");
  EXPECT_EQ(findings[0].places[1].detail, "with MPI_SUM on MPI_COMM_WORLD");
  EXPECT_EQ(findings[0].places[2].detail, "with a user-defined operation on MPI_COMM_WORLD");
}

TEST(Collectives, RanksThatNeverCompletedADifferingCallAreNamed) {
  MadeJob made(3);
  for (int rank = 0; rank < 3; ++rank) broadcast(made, rank, 0, kInt, rank == 1 ? 2 : 3);
  made.open(2, PLAIT_CHECK_WAIT_ALL, kBcast);
  const auto findings = Collectives(made.job()).findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].what,
            "Ranks pass different counts to MPI_Bcast on MPI_COMM_WORLD; rank 2 never completed "
            "it");
}

TEST(Collectives, CountsMayDifferWhereSignaturesDoNot) {
  MadeJob made(2);
  broadcast(made, 0, 0, kPair, 2);
  broadcast(made, 1, 0, kPair, 2);
  broadcast(made, 0, 0, kByte, 24, 1);
  broadcast(made, 1, 0, kPair, 2, 1);
  EXPECT_EQ(kinds(made.job()), Kinds{});
}

TEST(Collectives, DifferentCountsAndTypesAreReported) {
  MadeJob counts(2);
  broadcast(counts, 0, 0, kInt, 2);
  broadcast(counts, 1, 0, kInt, 4);
  EXPECT_EQ(kinds(counts.job()), Kinds{"collective_count"});
  MadeJob types(2);
  broadcast(types, 0, 0, kInt, 2);
  broadcast(types, 1, 0, kDouble, 1);
  EXPECT_EQ(kinds(types.job()), Kinds{"collective_type"});
}

// Each rank sends its count; the root expects the given counts.
Kinds gathered(const std::vector<std::uint64_t>& sent, const std::vector<std::uint64_t>& expected) {
  const int ranks = static_cast<int>(sent.size());
  MadeJob made(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    plait_check_op& op = made.collective(rank, 0, kGatherv, 0);
    op.flags = PLAIT_CHECK_SENDS;
    op.type = kDouble;
    op.count = sent[static_cast<std::size_t>(rank)];
    if (rank > 0) continue;
    op.flags |= PLAIT_CHECK_RECEIVES;
    op.type_received = kDouble;
    op.counts_received = made.counts(0, expected);
    op.of_received = static_cast<std::uint32_t>(ranks);
  }
  return kinds(made.job());
}

TEST(Collectives, EachCountOfGathervIsComparedWithTheRoots) {
  EXPECT_EQ(gathered({1, 2, 3}, {1, 2, 3}), Kinds{});
  EXPECT_EQ(gathered({1, 2, 3}, {1, 1, 3}), Kinds{"collective_count"});
  EXPECT_EQ(gathered({0, 2, 0}, {0, 2, 0}), Kinds{});
}

// The library may end the job before the others make the call.
TEST(Collectives, WhatARootSendsToItselfIsComparedWithoutTheOthers) {
  for (const std::uint64_t expected : {1U, 2U}) {
    MadeJob made(3);
    plait_check_op& op = made.collective(0, 0, kScatter, 0);
    op.flags = PLAIT_CHECK_SENDS | PLAIT_CHECK_RECEIVES;
    op.type = op.type_received = kInt;
    op.count = 2;
    op.count_received = expected;
    EXPECT_EQ(kinds(made.job()), expected == 2 ? Kinds{} : Kinds{"collective_count"});
  }
}

// counts[i][j]: what i sends to j; j expects the same unless `wrong`.
Kinds exchanged(bool wrong) {
  constexpr int kRanks = 3;
  MadeJob made(kRanks);
  for (int rank = 0; rank < kRanks; ++rank) {
    std::vector<std::uint64_t> sent;
    std::vector<std::uint64_t> expected;
    for (int other = 0; other < kRanks; ++other) {
      sent.push_back(static_cast<std::uint64_t>(10 * rank + other));
      expected.push_back(static_cast<std::uint64_t>(10 * other + rank));
    }
    if (wrong && rank == 2) ++expected[1];
    plait_check_op& op = made.collective(rank, 0, kAlltoallv);
    op.flags = PLAIT_CHECK_SENDS | PLAIT_CHECK_RECEIVES;
    op.type = op.type_received = kInt;
    op.counts = made.counts(rank, sent);
    op.counts_received = made.counts(rank, expected);
    op.of = op.of_received = kRanks;
  }
  return kinds(made.job());
}

TEST(Collectives, AlltoallvIsComparedPairByPair) {
  EXPECT_EQ(exchanged(false), Kinds{});
  EXPECT_EQ(exchanged(true), Kinds{"collective_count"});
}

TEST(Collectives, MissingCallsAreReportedForAJobThatIsOver) {
  MadeJob made(3);
  made.collective(0, 0, kBarrier);
  made.collective(2, 0, kBarrier);
  EXPECT_EQ(kinds(made.job()), Kinds{});
  MadeJob over(3);
  over.collective(0, 0, kBarrier);
  over.collective(2, 0, kBarrier);
  over.finalize_all();
  const auto findings = Collectives(over.job()).findings();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].what, "MPI_Barrier on MPI_COMM_WORLD is not called by rank 1");
}

TEST(Collectives, LargeCountFunctionsAreTheSameCalls) {
  EXPECT_EQ(plain_name("MPI_Bcast_c"), "MPI_Bcast");
  EXPECT_EQ(plain_name("MPI_Bcast"), "MPI_Bcast");
}

TEST(Collectives, BetweenGroupsRanksWithoutTheRootTakePart) {
  MadeJob made(4);
  made.between({0, 1});
  made.collective(0, 0, kBcast, PLAIT_CHECK_ROOT);
  made.collective(1, 0, kBcast, PLAIT_CHECK_NULL);
  made.collective(2, 0, kBcast, 0);
  made.collective(3, 0, kBcast, 0);
  made.finalize_all();
  EXPECT_EQ(kinds(made.job()), Kinds{});
}

TEST(Collectives, RanksThatAreNotKnownAreNotMissed) {
  MadeJob made(2);
  for (const int rank : {0, 1}) {
    made.collective(rank, 0, kBarrier);
    made.process(rank).record_comms[1].remote_members = {-1, -1};
  }
  made.finalize_all();
  EXPECT_EQ(kinds(made.job()), Kinds{});
}

}  // namespace
}  // namespace plait::check
