// SPDX-License-Identifier: BSD-3-Clause
// Tests of the critical path with programs whose path is obvious.
#include "analysis/critical_path.hpp"

#include <gtest/gtest.h>

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

CriticalPath path_of(const Prepared& of) {
  return find_critical_path(of.trace, of.lanes, of.waits);
}

TEST(CriticalPath, RunsThroughTheSlowestRankOfEachStep) {
  MadeTrace made(3);
  for (int step = 0; step < 3; ++step) {
    for (const int rank : all_ranks(3)) compute_in(made, rank, "solve", rank == step ? 1.0 : 0.5);
    together(made, all_ranks(3), "MPI_Allreduce", 8);
  }
  const CriticalPath path = path_of(Prepared(made.take()));
  EXPECT_NEAR(path.seconds, 3.0, kNs);
  ASSERT_EQ(path.parts.size(), 3U);
  for (std::size_t step = 0; step < 3; ++step) {
    EXPECT_EQ(path.parts[step].rank, static_cast<int>(step));
    EXPECT_EQ(path.parts[step].kind, "computation");
    EXPECT_NEAR(path.parts[step].begin_s, static_cast<double>(step), kNs);
    EXPECT_NEAR(path.parts[step].end_s, static_cast<double>(step) + 1, kNs);
  }
  ASSERT_EQ(path.owners.size(), 3U);
  EXPECT_NEAR(path.owners[0].share, 1.0 / 3, 1e-6);
}

TEST(CriticalPath, FollowsMessagesAndCountsTheirTransferTime) {
  MadeTrace made(2);
  made.from("send");
  made.compute(0, 1.0);
  made.send(0, 1, 1024, 0.1);
  made.compute(1, 0.2);
  made.from("receive");
  receive_sent(made, 1, 0, 1024, 1.0, 0.3);
  made.compute(1, 2.0);
  const Prepared program(made.take());
  const CriticalPath path = path_of(program);
  EXPECT_NEAR(path.seconds, 3.3, kNs);
  ASSERT_EQ(path.parts.size(), 3U);
  EXPECT_EQ(path.parts[0].rank, 0);
  EXPECT_EQ(path.parts[1].kind, "transfer");
  EXPECT_EQ(test::site_name(program.trace, path.parts[1].site), "receive");
  EXPECT_NEAR(path.parts[1].end_s - path.parts[1].begin_s, 0.3, kNs);
  EXPECT_EQ(path.parts[2].rank, 1);
  EXPECT_NEAR(path.owners[0].seconds, 2.0, kNs);
}

TEST(CriticalPath, CoversTheRunWithoutAGapFromALateStartToTheLastEnd) {
  MadeTrace made(3);
  for (int step = 0; step < 40; ++step) {
    for (const int rank : all_ranks(3)) made.compute(rank, 0.01 * (1 + (rank * 5 + step * 3) % 7));
    together(made, all_ranks(3), "MPI_Barrier", 0, 0.002);
  }
  trace::Trace trace = made.take();
  for (const int rank : {0, 1, 2}) trace.ranks[static_cast<std::size_t>(rank)].begin = rank * 1000;
  const Prepared program(std::move(trace));
  const CriticalPath path = path_of(program);
  const double time_s = static_cast<double>(program.lanes.end - program.lanes.begin) * 1e-9;
  EXPECT_NEAR(path.seconds, time_s, kNs);
  double at = 0;
  for (const PathPart& part : path.parts) {
    EXPECT_NEAR(part.begin_s, at, kNs);
    at = part.end_s;
  }
  EXPECT_NEAR(at, time_s, kNs);
}

TEST(CriticalPath, ManyPartsAreMergedAndOwnersStillSumToTheWhole) {
  MadeTrace made(2);
  for (int step = 0; step < 6000; ++step) {
    for (const int rank : all_ranks(2)) made.compute(rank, rank == step % 2 ? 2e-5 : 1e-5);
    together(made, all_ranks(2), "MPI_Barrier", 0, 1e-6);
  }
  const CriticalPath path = path_of(Prepared(made.take()));
  EXPECT_LE(path.parts.size(), 4096U);
  double owned = 0;
  for (const PathOwner& owner : path.owners) owned += owner.seconds;
  EXPECT_NEAR(owned, path.seconds, 1e-6);
  EXPECT_NEAR(path.parts.back().end_s, path.seconds, 1e-6);
}

TEST(CriticalPath, AnEmptyTraceHasNone) {
  EXPECT_EQ(path_of(Prepared(trace::Trace{})).seconds, 0);
}

}  // namespace
}  // namespace plait::analysis
