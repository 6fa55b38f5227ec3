// SPDX-License-Identifier: BSD-3-Clause
// Tests of eager limits: from the trace, from the machine file, and the default.
#include "analysis/eager_limits.hpp"

#include <gtest/gtest.h>

#include "analysis/imbalance.hpp"
#include "analysis/pop.hpp"
#include "machine/machine_file.hpp"
#include "programs.hpp"

namespace plait::analysis {
namespace {

using test::Prepared;
using trace::MadeTrace;

/// Rank 0 computes for 1 ms and then sends; rank 1 receives after 2 ms. The send takes `seconds`.
void late_receives(MadeTrace& made, std::uint64_t bytes, int count, double seconds,
                   const char* function = "MPI_Send") {
  for (int i = 0; i < count; ++i) {
    made.compute(0, 1e-3);
    made.send(0, 1, bytes, seconds, 0, function);
    made.compute(0, 2e-3 - 1e-3 - seconds + 5e-6);
    made.compute(1, 2e-3);
    made.receive(1, 0, bytes, 5e-6);
  }
}

EagerLimits limits_of(const Prepared& of, const machine::Measured* measured = nullptr) {
  return eager_limits(of.trace, measured, of.waits);
}

constexpr double kHeld = 1e-3 + 5e-6;  // until the receive begins
constexpr double kAtOnce = 10e-6;

TEST(EagerLimits, WithoutEvidenceTheLimitIsTheDefaultOfDimemas) {
  MadeTrace made(2);
  made.compute(1, 1e-3);
  const Prepared of(made.take());
  EXPECT_EQ(limits_of(of).bytes[0], 32768U);
  EXPECT_EQ(limits_of(of).text(), "rendezvous above 32 KiB (default of Dimemas)");
}

TEST(EagerLimits, SendsThatWaitForTheirReceiveWereNotEager) {
  MadeTrace made(2);
  late_receives(made, 2000, 3, kAtOnce);
  late_receives(made, 5600, 3, kHeld);
  const Prepared of(made.take());
  EXPECT_EQ(limits_of(of).bytes[0], 5599U);
  EXPECT_EQ(limits_of(of).bytes[1], 32768U);
  EXPECT_NE(limits_of(of).text().find("(in this trace)"), std::string::npos);
}

TEST(EagerLimits, OneSendThatWaitsMayDoSoByChance) {
  MadeTrace made(2);
  late_receives(made, 5600, 1, kHeld);
  EXPECT_EQ(limits_of(Prepared(made.take())).bytes[0], 32768U);
}

TEST(EagerLimits, MessagesThatWereBufferedWereEager) {
  MadeTrace made(2);
  late_receives(made, 5600, 3, kHeld);  // waited for something else
  late_receives(made, 100'000, 1, kAtOnce);
  EXPECT_EQ(limits_of(Prepared(made.take())).bytes[0], 100'000U);
}

TEST(EagerLimits, SynchronousSendsAndWaitsForSeveralRequestsAreNoEvidence) {
  MadeTrace made(2);
  late_receives(made, 5600, 3, kHeld, "MPI_Ssend");
  for (int i = 0; i < 3; ++i) {
    const auto first = made.isend(0, 1, 5600, 0);
    const auto second = made.isend(0, 1, 5600, 0);
    made.wait(0, {first, second}, kHeld);
    made.compute(1, 1e-3);
    made.receive(1, 0, 5600, 5e-6);
    made.receive(1, 0, 5600, 0);
  }
  trace::Trace trace = made.take();
  for (trace::Shape& shape : trace.shapes) {
    if (trace.functions[shape.function] == "MPI_Ssend") shape.flags |= PLAIT_SHAPE_SYNCHRONOUS;
  }
  EXPECT_EQ(limits_of(Prepared(std::move(trace))).bytes[0], 32768U);
}

TEST(EagerLimits, ATraceCorrectsWhatWasMeasured) {
  const machine::MachineFile file =
      machine::load(std::string(PLAIT_TEST_DATA) + "/machines/cluster-example.json");
  MadeTrace made(4, 2);
  late_receives(made, 6000, 3, kAtOnce);
  const Prepared of(made.take());
  const EagerLimits limits = limits_of(of, &*file.measured);
  EXPECT_EQ(limits.bytes[0], 6000U) << "4096 was measured";
  EXPECT_EQ(limits.bytes[1], 65536U);
  EXPECT_EQ(limits.text(),
            "rendezvous above 5.86 KiB (in this trace) inside a node and 64 KiB (measured) between "
            "nodes");
}

// The sends of rank 0 wait for rank 1, which computes twice as long: on an ideal network, too.
TEST(EagerLimits, ReplayAndWaitStatesAgreeOnSerialization) {
  MadeTrace made(2);
  for (int i = 0; i < 10; ++i) {
    made.compute(0, 1e-3);
    made.send(0, 1, 5600, kHeld);
    made.compute(1, 2e-3);
    made.receive(1, 0, 5600, 5e-6);
    made.compute(0, 2e-3);
    made.compute(1, 1e-3);
    made.receive(1, 0, 5600, 1e-3 + 5e-6, 1);
    made.send(0, 1, 5600, 5e-6, 1);
  }
  const Prepared of(made.take());
  std::string why;
  const auto ideal = replay_ideally(of.trace, limits_of(of), why);
  ASSERT_TRUE(ideal) << why;
  const auto ranks = rank_use(of.trace, of.lanes, of.waits);
  const double time_s = 40.1e-3;
  const PopSet by_replay = multiplicative(ranks, time_s, ideal->result.time_s);
  const PopSet by_waits = multiplicative(ranks, time_s, ideal_by_waits(ranks));
  EXPECT_NEAR(*by_replay.serialization, 0.75, 0.01);
  EXPECT_NEAR(*by_replay.serialization, *by_waits.serialization, 0.01);
}

}  // namespace
}  // namespace plait::analysis
