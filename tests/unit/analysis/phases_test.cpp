// SPDX-License-Identifier: BSD-3-Clause
// Tests of phases with hand-made traces.
#include "analysis/phases.hpp"

#include <gtest/gtest.h>

#include <random>

#include "programs.hpp"

namespace plait::analysis {
namespace {

using test::all_ranks;
using test::Prepared;
using test::together;
using trace::MadeTrace;

std::vector<Phase> phases_of(MadeTrace& made) {
  const Prepared of(made.take());
  return find_phases(of.trace, of.lanes, of.waits);
}

std::vector<std::string> names(const std::vector<Phase>& phases) {
  std::vector<std::string> all;
  for (const Phase& phase : phases) all.push_back(phase.name);
  return all;
}

/// A step of `seconds` of computation, messages around a ring, and a sum.
void step(MadeTrace& made, int ranks, double seconds, const std::string& name = "step") {
  made.from(name + ".exchange");
  for (const int rank : all_ranks(ranks)) made.compute(rank, seconds);
  for (const int rank : all_ranks(ranks)) {
    made.send_receive(rank, (rank + 1) % ranks, 1000, (rank + ranks - 1) % ranks, 1000, 0.001);
  }
  made.from(name + ".sum");
  together(made, all_ranks(ranks), "MPI_Allreduce", 8, 0.001);
}

void setup(MadeTrace& made, int ranks, const char* function = "MPI_Bcast") {
  made.from("setup");
  for (const int rank : all_ranks(ranks)) made.compute(rank, 1);
  together(made, all_ranks(ranks), function, 100, 0.01);
}

TEST(Phases, ARunConsistsOfIterationsAndWhatIsBeforeAndAfter) {
  MadeTrace made(4);
  setup(made, 4);
  for (int i = 0; i < 50; ++i) step(made, 4, 0.1);
  setup(made, 4, "MPI_Gather");
  const std::vector<Phase> phases = phases_of(made);
  ASSERT_EQ(names(phases), (std::vector<std::string>{"before", "iterations 1", "after"}));
  const Phase& loop = phases[1];
  EXPECT_EQ(loop.repetitions, 50U);
  EXPECT_NEAR(loop.mean_s, 0.102, 1e-9);
  EXPECT_NEAR(loop.median_s, 0.102, 1e-9);
  EXPECT_NEAR(loop.cv, 0, 1e-9);
  EXPECT_NEAR(loop.end_s - loop.begin_s, 50 * 0.102, 1e-9);
  EXPECT_EQ(loop.pattern.size(), 2U);
  EXPECT_NEAR(*loop.efficiencies.parallel, 0.1 / 0.102, 1e-6);
  ASSERT_EQ(loop.calls.size(), 2U);
  EXPECT_EQ(loop.calls[0].count, 200U);
  EXPECT_EQ(loop.ranks, 4);
  EXPECT_NEAR(phases[0].begin_s, 0, 1e-12);
  EXPECT_NEAR(phases[2].begin_s, loop.end_s, 1e-12);
}

TEST(Phases, EachHasItsOwnEfficiency) {
  MadeTrace made(2);
  for (int i = 0; i < 20; ++i) {
    made.from("even");
    for (const int rank : all_ranks(2)) made.compute(rank, 0.1);
    together(made, all_ranks(2), "MPI_Allreduce", 8);
  }
  for (int i = 0; i < 20; ++i) {
    made.from("uneven");
    made.compute(0, 0.1);
    made.compute(1, 0.05);
    together(made, all_ranks(2), "MPI_Allreduce", 8);
  }
  const std::vector<Phase> phases = phases_of(made);
  ASSERT_EQ(names(phases), (std::vector<std::string>{"iterations 1", "iterations 2"}));
  EXPECT_NEAR(*phases[0].efficiencies.load_balance, 1, 1e-6);
  EXPECT_NEAR(*phases[1].efficiencies.load_balance, 0.75, 1e-6);
  EXPECT_NE(phases[0].signature, phases[1].signature);
}

TEST(Phases, OccasionalOutputDoesNotSplitThem) {
  MadeTrace made(4);
  for (int i = 1; i <= 200; ++i) {
    step(made, 4, 0.1);
    if (i % 50 == 0 || i == 77) {
      made.from("output");
      together(made, all_ranks(4), "MPI_Gather", 100, 0.01);
    }
  }
  const std::vector<Phase> phases = phases_of(made);
  ASSERT_GE(phases.size(), 1U);
  EXPECT_EQ(phases[0].name, "iterations 1");
  EXPECT_GE(phases[0].repetitions, 195U);
  EXPECT_LE(phases.size(), 2U);
}

TEST(Phases, AnIrregularCallIsNotAPhase) {
  MadeTrace made(2);
  for (int i = 1; i <= 300; ++i) {
    made.from("exchange");
    for (const int rank : all_ranks(2)) {
      made.compute(rank, 0.01);
      made.send_receive(rank, 1 - rank, 1000, 1 - rank, 1000, 0.001);
    }
    if (i * i % 17 == 4) {
      made.from("neighbours");
      together(made, all_ranks(2), "MPI_Allreduce", 8, 0.001);
    }
    made.from("back");
    for (const int rank : all_ranks(2)) {
      made.send_receive(rank, 1 - rank, 500, 1 - rank, 500, 0.001);
    }
  }
  const std::vector<Phase> phases = phases_of(made);
  std::uint32_t most = 0;
  for (const Phase& phase : phases) most = std::max(most, phase.repetitions);
  EXPECT_GE(most, 200U);
  EXPECT_LE(phases.size(), 3U);
}

TEST(Phases, ACollectiveCallCutsTheRunIfNoTwoStepsAreEqual) {
  MadeTrace made(2);
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    // A different number of messages, in a different order, in each step.
    for (unsigned k = 0; k < 2 + random() % 3; ++k) {
      made.from("site" + std::to_string(random() % 11));
      for (const int rank : all_ranks(2)) {
        made.compute(rank, 0.01);
        made.send_receive(rank, 1 - rank, 1000, 1 - rank, 1000, 0.001);
      }
    }
    made.from("sum");
    together(made, all_ranks(2), "MPI_Allreduce", 8);
  }
  const std::vector<Phase> phases = phases_of(made);
  std::uint32_t most = 0;
  for (const Phase& phase : phases) most = std::max(most, phase.repetitions);
  EXPECT_GE(most, 30U);
}

TEST(Phases, SignaturesAreTheSameForOtherNumbersOfRanks) {
  std::vector<std::uint64_t> signatures;
  for (const int ranks : {2, 4, 8}) {
    MadeTrace made(ranks);
    setup(made, ranks);
    for (int i = 0; i < 20; ++i) step(made, ranks, 0.1);
    signatures.push_back(phases_of(made)[1].signature);
  }
  EXPECT_EQ(signatures[0], signatures[1]);
  EXPECT_EQ(signatures[0], signatures[2]);
}

/// A step in which the ranks of a chain exchange with their neighbours, each from a place of its
/// own.
void chain_step(MadeTrace& made, int ranks) {
  for (const int rank : all_ranks(ranks)) made.compute(rank, 0.1);
  for (int rank = 0; rank + 1 < ranks; ++rank) {
    made.from("to_the_right");
    made.send_receive(rank, rank + 1, 1000, rank + 1, 1000, 0.001);
    made.from("to_the_left");
    made.send_receive(rank + 1, rank, 1000, rank, 1000, 0.001);
  }
}

TEST(Phases, SignaturesAreTheSameForRanksWithOtherNeighbours) {
  std::vector<std::uint64_t> signatures;
  for (const int ranks : {2, 3, 6}) {
    MadeTrace made(ranks);
    for (int i = 0; i < 20; ++i) chain_step(made, ranks);
    const std::vector<Phase> phases = phases_of(made);
    const auto loop =
        std::ranges::find_if(phases, [](const Phase& of) { return of.repetitions > 9; });
    ASSERT_NE(loop, phases.end());
    signatures.push_back(loop->signature);
  }
  EXPECT_EQ(signatures[0], signatures[1]);
  EXPECT_EQ(signatures[0], signatures[2]);
}

TEST(Phases, ARunWithoutLoopsIsOnePhase) {
  MadeTrace made(2);
  setup(made, 2);
  EXPECT_EQ(names(phases_of(made)), std::vector<std::string>{"whole run"});
}

TEST(Phases, ATraceWithoutEventsHasNone) {
  MadeTrace made(2);
  EXPECT_TRUE(phases_of(made).empty());
}

}  // namespace
}  // namespace plait::analysis
