// SPDX-License-Identifier: BSD-3-Clause
// Tests of POP efficiencies: Dimemas' worked example, both hybrid definitions, their identities.
#include "analysis/pop.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/imbalance.hpp"
#include "programs.hpp"

namespace plait::analysis {
namespace {

using test::Prepared;
using trace::MadeTrace;

/// Rank 0 computes 1.0 s, sends 1 MB, computes 0.5 s; rank 1 computes 0.2 s, receives, computes
/// 1.0 s; then both reduce. Dimemas on 10 us and 1 GB/s takes 2.000984 s, on the ideal network 2 s.
trace::Trace worked_example() {
  constexpr double kTime = 2.000984;
  constexpr double kTransfer = kTime - 2.0;
  MadeTrace made(2);
  made.compute(0, 1.0);
  made.send(0, 1, 1'000'000, 0);
  made.compute(0, 0.5);
  made.compute(1, 0.2);
  made.receive(1, 0, 1'000'000, 0.8 + kTransfer);
  made.compute(1, 1.0);
  made.collective(0, "MPI_Allreduce", 8, 0.5 + kTransfer);
  made.collective(1, "MPI_Allreduce", 8, 0);
  return made.take();
}

TEST(Pop, TheWorkedExampleOfDimemasByReplay) {
  const Prepared program(worked_example());
  std::string why;
  const auto ideal = replay_ideally(program.trace, {}, why);
  ASSERT_TRUE(ideal) << why;
  const auto ranks = rank_use(program.trace, program.lanes, program.waits);
  const PopSet set = multiplicative(ranks, 2.000984, ideal->result.time_s);
  EXPECT_NEAR(*set.load_balance, 0.90, 1e-6);
  EXPECT_NEAR(*set.serialization, 0.75, 1e-6);
  EXPECT_NEAR(*set.transfer, 0.9995, 1e-4 / 2);
  EXPECT_NEAR(*set.parallel, 0.675, 5e-4);
  EXPECT_NEAR(*set.parallel, *set.load_balance * *set.serialization * *set.transfer, 1e-12);
  EXPECT_FALSE(set.openmp_parallel);
}

// Both ranks do the same; rank 0 has no CPU for as long as it computes.
TEST(Pop, WaitingForACpuIsAFactorOfItsOwn) {
  MadeTrace made(2);
  for (int step = 0; step < 4; ++step) {
    made.compute(0, 2.0);
    made.wait_for_cpu(0, 1.0);
    made.compute(1, 1.0);
    test::together(made, test::all_ranks(2), "MPI_Barrier");
  }
  const Prepared program(made.take());
  std::string why;
  const auto ideal = replay_ideally(program.trace, {}, why);
  ASSERT_TRUE(ideal) << why;
  EXPECT_NEAR(ideal->result.time_s, 4.0, 1e-9) << "the replay does not wait for CPUs";
  const auto ranks = rank_use(program.trace, program.lanes, program.waits);
  for (const PopSet& set : {multiplicative(ranks, 8, ideal->result.time_s, 4),
                            additive(ranks, 8, ideal->result.time_s, 4)}) {
    EXPECT_NEAR(*set.cpu, 0.5, 1e-9) << set.definition;
    EXPECT_NEAR(*set.load_balance, 1, 1e-9) << set.definition;
    EXPECT_NEAR(*set.communication, 1, 1e-9) << set.definition;
    EXPECT_NEAR(*set.serialization, 1, 1e-9) << set.definition;
    EXPECT_NEAR(*set.transfer, 1, 1e-9) << set.definition;
    EXPECT_NEAR(*set.parallel, 0.5, 1e-9) << set.definition;
  }
}

TEST(Pop, TheWorkedExampleByWaitStatesIsTheSameHere) {
  const Prepared program(worked_example());
  const auto ranks = rank_use(program.trace, program.lanes, program.waits);
  EXPECT_NEAR(ideal_by_waits(ranks), 2.000984, 1e-6) << "rank 0 only computes and waits";
  const PopSet set = multiplicative(ranks, 2.000984, ideal_by_waits(ranks));
  EXPECT_NEAR(*set.serialization, 1.5 / 2.000984, 1e-6);
  EXPECT_NEAR(*set.transfer, 1.0, 1e-6);
}

TEST(Pop, AdditiveEfficienciesAddUp) {
  const Prepared program(worked_example());
  const auto ranks = rank_use(program.trace, program.lanes, program.waits);
  const PopSet set = additive(ranks, 2.000984, 2.0);
  EXPECT_NEAR(*set.load_balance, 1 - 0.15 / 2.000984, 1e-6);
  EXPECT_NEAR(*set.serialization, 1 - 0.5 / 2.000984, 1e-6);
  EXPECT_NEAR(*set.communication, *set.serialization + *set.transfer - 1, 1e-9);
  EXPECT_NEAR(*set.parallel, *set.load_balance + *set.communication - 1, 1e-9);
  EXPECT_NEAR(*set.parallel, 1.35 / 2.000984, 1e-6) << "the total is the same in both";
}

TEST(Pop, HybridMultiplicativeIsMpiTimesOpenMp) {
  // Two ranks of two threads, 10 s: 8 s and 6 s outside MPI; threads busy 8 + 4 and 6 + 2.
  RankUse first{8, 0, {8, 4}, 2};
  RankUse second{6, 0, {6, 2}, 2};
  const PopSet set = multiplicative({first, second}, 10, std::nullopt);
  EXPECT_NEAR(*set.parallel, 5.0 / 10, 1e-12);
  EXPECT_NEAR(*set.mpi_parallel, 0.7, 1e-12);
  EXPECT_NEAR(*set.parallel, *set.mpi_parallel * *set.openmp_parallel, 1e-12);
  EXPECT_NEAR(*set.openmp_load_balance, (5.0 / 8) / (7.0 / 8), 1e-12);
  EXPECT_NEAR(*set.openmp_communication, 1.0, 1e-12);
  EXPECT_NEAR(*set.openmp_parallel, *set.openmp_load_balance * *set.openmp_communication, 1e-12);
  EXPECT_FALSE(set.serialization) << "the ideal network is unknown";
}

TEST(Pop, HybridAdditiveSplitsSerialCodeFromRegions) {
  // One rank of two threads, 10 s: 2 s serial, 6 s in regions where the second is busy for 4 s.
  const PopSet set = additive({RankUse{8, 0, {8, 4}, 2}}, 10, 8.0);
  EXPECT_NEAR(*set.mpi_parallel, 0.8, 1e-12);
  EXPECT_NEAR(*set.openmp_serial, 1 - 2.0 / 20, 1e-12);
  EXPECT_NEAR(*set.openmp_region, 1 - 2.0 / 20, 1e-12);
  EXPECT_NEAR(*set.openmp_parallel, *set.openmp_serial + *set.openmp_region - 1, 1e-12);
  EXPECT_NEAR(*set.parallel, 12.0 / 20, 1e-12);
  EXPECT_NEAR(*set.parallel, *set.mpi_parallel + *set.openmp_parallel - 1, 1e-12);
}

/// Adds OpenMP events to one rank: thread, begin and end (s), and idle time (s).
class Regions {
public:
  explicit Regions(trace::Trace& trace)
      : trace_(trace),
        work_(shape(trace::EventKind::work)),
        parallel_(shape(trace::EventKind::parallel)) {
    trace.ranks[0].streams.resize(2);
  }
  void work(std::size_t thread, double begin, double end, double idle = 0) {
    put(thread, work_, begin, end, idle);
  }
  void parallel(double begin, double end) { put(0, parallel_, begin, end, 0); }

private:
  std::uint32_t shape(trace::EventKind kind) {
    trace::Shape shape;
    shape.kind = kind;
    trace_.shapes.push_back(shape);
    return static_cast<std::uint32_t>(trace_.shapes.size() - 1);
  }
  /// Inserts an event among those of its thread by its end.
  void put(std::size_t thread, std::uint32_t shape, double begin, double end, double idle) {
    trace::Event event;
    event.begin = std::llround(begin * 1e9);
    event.end = std::llround(end * 1e9);
    event.shape = shape;
    event.bytes = static_cast<std::uint64_t>(std::llround(idle * 1e9));
    auto& events = trace_.ranks[0].streams[thread].events;
    const auto after = std::ranges::upper_bound(events, event.end, {}, &trace::Event::end);
    events.insert(after, event);
  }

  trace::Trace& trace_;
  std::uint32_t work_, parallel_;
};

RankUse use_of(trace::Trace trace) {
  const Prepared program(std::move(trace));
  const auto ranks = rank_use(program.trace, program.lanes, program.waits);
  return ranks.size() == 1 && ranks[0].threads_s.size() == 2 ? ranks[0] : RankUse{};
}

/// One rank: 1 s of serial code, and a region of 2 s in which the second thread idles for 0.5 s.
trace::Trace one_region() {
  MadeTrace made(1);
  made.compute(0, 3.0);
  trace::Trace trace = made.take();
  Regions regions(trace);
  regions.work(0, 1, 3);
  regions.parallel(1, 3);
  regions.work(1, 1, 3, 0.5);
  return trace;
}

TEST(Pop, OpenMpThreadsComeFromTheTracesRegions) {
  const RankUse use = use_of(one_region());
  ASSERT_EQ(use.threads_s.size(), 2U);
  EXPECT_NEAR(use.threads_s[0], 3.0, 1e-9) << "serial code and its part in the region";
  EXPECT_NEAR(use.threads_s[1], 1.5, 1e-9);
  EXPECT_NEAR(use.serial_s, 1.0, 1e-9);
}

TEST(Pop, AThreadThatWaitsForACpuIsNotBusy) {
  trace::Trace trace = one_region();
  trace.ranks[0].streams[1].cpu_waits.push_back({3'000'000'000, 400'000'000, 0});
  const RankUse use = use_of(std::move(trace));
  ASSERT_EQ(use.threads_s.size(), 2U);
  EXPECT_NEAR(use.threads_s[1], 1.1, 1e-9);
}

TEST(Pop, MpiCallsWithinARegionAreNotUsefulTime) {
  MadeTrace made(1);
  made.compute(0, 2.0);
  made.other(0, "MPI_File_write", 1.0);
  made.compute(0, 1.0);
  trace::Trace trace = made.take();
  Regions regions(trace);
  regions.work(0, 1, 4);
  regions.parallel(1, 4);
  regions.work(1, 1, 4);
  const RankUse use = use_of(std::move(trace));
  ASSERT_EQ(use.threads_s.size(), 2U);
  EXPECT_NEAR(use.useful_s, 3.0, 1e-9);
  EXPECT_NEAR(use.threads_s[0], 3.0, 1e-9) << "1 s before the region, 2 s in it";
  EXPECT_NEAR(use.threads_s[1], 3.0, 1e-9);
  EXPECT_NEAR(use.serial_s, 1.0, 1e-9);
}

TEST(Pop, NestedRegionsCountOnceAndThoseOutsideTheRunDoNot) {
  MadeTrace made(1);
  made.compute(0, 4.0);
  trace::Trace trace = made.take();
  Regions regions(trace);
  regions.work(0, 2, 3);
  regions.parallel(2, 3);
  regions.work(0, 1, 4, 0.5);
  regions.parallel(1, 4);
  regions.work(1, 1, 4);
  regions.work(1, 5, 7);  // after MPI_Finalize
  const RankUse use = use_of(std::move(trace));
  ASSERT_EQ(use.threads_s.size(), 2U);
  EXPECT_NEAR(use.threads_s[0], 1 + 2.5, 1e-9);
  EXPECT_NEAR(use.threads_s[1], 3.0, 1e-9);
  EXPECT_NEAR(use.serial_s, 1.0, 1e-9);
}

TEST(Pop, AWindowHasItsOwnEfficiencies) {
  MadeTrace made(2);
  made.compute(0, 1.0);
  made.compute(1, 1.0);
  test::together(made, {0, 1}, "MPI_Barrier");
  made.compute(0, 1.0);
  made.compute(1, 0.5);
  test::together(made, {0, 1}, "MPI_Barrier");
  const Prepared program(made.take());
  const PopSet first = efficiencies_of_window(program.lanes, program.waits, 0, 1'000'000'000);
  const PopSet second =
      efficiencies_of_window(program.lanes, program.waits, 1'000'000'000, 2'000'000'000);
  EXPECT_NEAR(*first.parallel, 1.0, 1e-9);
  EXPECT_NEAR(*second.load_balance, 0.75, 1e-9);
  EXPECT_NEAR(*second.serialization, 1.0, 1e-9);
}

TEST(Pop, WithoutTimeThereAreNoEfficiencies) {
  EXPECT_FALSE(multiplicative({}, 0, 1.0).parallel);
  EXPECT_FALSE(additive({RankUse{}}, 1.0, 1.0).parallel);
}

}  // namespace
}  // namespace plait::analysis
