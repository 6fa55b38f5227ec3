// SPDX-License-Identifier: BSD-3-Clause
// Tests of the imbalance diagram and its breakdown with programs whose parts are known.
#include "analysis/imbalance.hpp"

#include <gtest/gtest.h>

#include "programs.hpp"

namespace plait::analysis {
namespace {

using test::all_ranks;
using test::Prepared;
using test::together;
using trace::MadeTrace;

constexpr double kNs = 1e-8;

Imbalance imbalance_of(const Prepared& of, const SizeClasses& classes) {
  std::string why;
  const auto ideal = replay_ideally(of.trace, eager_limits(of.trace, nullptr, of.waits), why);
  EXPECT_TRUE(ideal) << why;
  return ideal ? find_imbalance(of.trace, of.lanes, *ideal, classes) : Imbalance{};
}

TEST(Imbalance, TimeOnTheIdealNetworkIsImbalanceAndTheRestInterconnect) {
  MadeTrace made(2);
  made.compute(0, 1.0);
  made.compute(1, 1.5);
  together(made, all_ranks(2), "MPI_Allreduce", 8, 0.25);
  const Imbalance of = imbalance_of(Prepared(made.take()), size_classes(nullptr));
  ASSERT_EQ(of.ranks.size(), 2U);
  EXPECT_NEAR(of.ranks[0].calculation_s, 1.0, kNs);
  EXPECT_NEAR(of.ranks[0].imbalance_s, 0.5, kNs);
  EXPECT_NEAR(of.ranks[0].interconnect_s, 0.25, kNs);
  EXPECT_NEAR(of.ranks[1].imbalance_s, 0, kNs);
  EXPECT_NEAR(of.ranks[1].interconnect_s, 0.25, kNs);
  ASSERT_EQ(of.cells.size(), 1U);
  EXPECT_EQ(of.cells[0].count, 2U);
  EXPECT_NEAR(of.cells[0].imbalance_s, 0.5, kNs);
  EXPECT_NEAR(of.cells[0].interconnect_s, 0.5, kNs);
  EXPECT_EQ(of.network, "ideal, rendezvous above 32 KiB (default of Dimemas)");
}

TEST(Imbalance, OtherThreadsThatCallMpiAreAddedUp) {
  MadeTrace made(2);
  for (const int rank : all_ranks(2)) {
    made.compute(rank, 0.6);
    made.on_thread(rank, 1);
  }
  made.send(0, 1, 64, 0.1);
  made.compute(0, 0.3);
  made.send(0, 1, 64, 0.1);
  made.receive(1, 0, 64, 0.2);
  made.receive(1, 0, 64, 0.3);
  for (const int rank : all_ranks(2)) made.on_thread(rank, 0);
  const Imbalance of = imbalance_of(Prepared(made.take()), size_classes(nullptr));
  ASSERT_EQ(of.ranks.size(), 2U);
  EXPECT_NEAR(of.ranks[0].calculation_s, 0.6 + 0.3, kNs);
  EXPECT_NEAR(of.ranks[0].imbalance_s, 0, kNs);
  EXPECT_NEAR(of.ranks[0].interconnect_s, 0.2, kNs);
  EXPECT_NEAR(of.ranks[1].calculation_s, 0.6, kNs);
  EXPECT_NEAR(of.ranks[1].imbalance_s, 0.3, kNs);
  EXPECT_NEAR(of.ranks[1].interconnect_s, 0.2, kNs);
  ASSERT_EQ(of.cells.size(), 2U);
  EXPECT_EQ(of.cells[0].count, 2U);
  EXPECT_NEAR(of.cells[0].imbalance_s, 0.3, kNs);
}

TEST(Imbalance, OfOpenMpThreadsOnlyTheirPartsInRegionsAreCalculation) {
  MadeTrace made(1);
  made.compute(0, 1.0);
  made.on_thread(0, 1);
  made.compute(0, 0.1);
  made.other(0, "MPI_Comm_rank", 0.1);
  made.compute(0, 0.2);
  made.openmp(0, trace::EventKind::work, 0.1);
  made.compute(0, 0.3);
  made.other(0, "MPI_Comm_rank", 0.1);
  made.on_thread(0, 0);
  const Imbalance of = imbalance_of(Prepared(made.take()), size_classes(nullptr));
  ASSERT_EQ(of.ranks.size(), 1U);
  EXPECT_NEAR(of.ranks[0].calculation_s, 1.0 + 0.2, kNs);
}

TEST(Imbalance, TheThreeMostExpensiveFunctionsAreBrokenDownByMessageSize) {
  MadeTrace made(2);
  const auto exchange = [&](std::uint64_t bytes, double seconds) {
    made.send_receive(0, 1, bytes, 1, bytes, seconds);
    made.send_receive(1, 0, bytes, 0, bytes, seconds);
  };
  exchange(64, 0.1);
  exchange(4096, 0.2);
  exchange(4096, 0.2);
  exchange(1 << 20, 0.4);
  together(made, all_ranks(2), "MPI_Allreduce", 8, 0.05);
  together(made, all_ranks(2), "MPI_Barrier", 0, 0.03);
  together(made, all_ranks(2), "MPI_Alltoall", 8, 0.01);
  const Prepared program(made.take());
  const Imbalance of = imbalance_of(program, size_classes(nullptr));
  ASSERT_EQ(of.cells.size(), 5U) << "three classes of Sendrecv, one of each of two others";
  EXPECT_EQ(program.trace.functions[of.cells[0].function], "MPI_Sendrecv");
  EXPECT_EQ(of.cells[0].to_bytes, 513U);
  EXPECT_NEAR(of.cells[0].interconnect_s, 0.2, kNs);
  EXPECT_EQ(of.cells[1].count, 4U);
  EXPECT_NEAR(of.cells[1].interconnect_s, 0.8, kNs);
  EXPECT_EQ(of.cells[2].from_bytes, 32768U);
  EXPECT_EQ(program.trace.functions[of.cells[4].function], "MPI_Barrier");
  EXPECT_EQ(of.class_source, "ITAC's classes");
}

TEST(Imbalance, ATraceThatCannotBeReplayedSaysWhy) {
  MadeTrace made(2);
  made.receive(0, 1, 8, 0.1);
  made.send(1, 0, 8, 0.1);
  made.collective(0, "MPI_Barrier", 0, 0.1);
  trace::Trace trace = made.take();
  std::string why;
  if (!replay_ideally(trace, {}, why)) {
    EXPECT_NE(why.find("could not be replayed"), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace plait::analysis
