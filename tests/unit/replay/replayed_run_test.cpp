// SPDX-License-Identifier: BSD-3-Clause
// A trace or a generated program on several networks, with another placement.
#include "replay/replayed_run.hpp"

#include <gtest/gtest.h>

#include "made_trace.hpp"
#include "plait/error.hpp"

namespace plait::replay {
namespace {

using Names = std::vector<std::string>;

/// Rank 0 computes 1 s and sends to rank 1, which waits for it.
trace::Trace one_message() {
  trace::MadeTrace made(2, 1);
  made.compute(0, 1);
  made.send(0, 1, 1'000'000, 0);
  made.receive(1, 0, 1'000'000, 1.001);
  return made.take();
}

TEST(ReplayedRun, IsATraceOnEachNetwork) {
  Names asked;
  const ReplayedRun run =
      replay_trace(one_message(), {}, {"ideal", "latency=1ms,bandwidth=1GB/s"},
                   [&](const std::string& network) { asked.push_back(network); });
  EXPECT_EQ(asked, (Names{"ideal", "latency=1ms,bandwidth=1GB/s"}));
  EXPECT_EQ(run.ranks, 2U);
  EXPECT_EQ(run.nodes, 2U);
  EXPECT_FALSE(run.generated);
  ASSERT_TRUE(run.recorded_s);
  EXPECT_NEAR(*run.recorded_s, 1.001, 1e-6);
  ASSERT_EQ(run.networks.size(), 2U);
  EXPECT_NEAR(run.networks[0].result.middle.time_s, 1, 1e-6);
  EXPECT_NEAR(run.networks[1].result.middle.time_s, 1.002, 1e-6);
  EXPECT_TRUE(run.all_ended());
}

TEST(ReplayedRun, MayHaveAnotherPlacement) {
  const auto nothing = [](const std::string&) {};
  ReplayChanges changes;
  changes.placement = "0-1:a";
  const ReplayedRun run = replay_trace(one_message(), changes, {"ideal"}, nothing);
  EXPECT_EQ(run.nodes, 1U);
  EXPECT_EQ(run.layout, "0-1:a");
  changes.placement.clear();
  changes.mapping = "1,0";
  EXPECT_EQ(replay_trace(one_message(), changes, {"ideal"}, nothing).layout, "1,0");
}

TEST(ReplayedRun, HasNotEndedWhereARankIsStuck) {
  ReplayedRun run;
  run.networks.resize(2);
  EXPECT_TRUE(run.all_ended());
  run.networks[1].result.middle.stuck = {1};
  EXPECT_FALSE(run.all_ended());
}

TEST(ReplayedRun, IsAGeneratedProgramWithItsOwnLayout) {
  const auto nothing = [](const std::string&) {};
  const std::string halo = "halo,ranks=4,nodes=2,compute=10ms,faces=8KiB";
  const ReplayedRun run = replay_generated(halo, {}, {"ideal"}, nothing);
  EXPECT_TRUE(run.generated);
  EXPECT_EQ(run.program, halo);
  EXPECT_EQ(run.ranks, 4U);
  EXPECT_EQ(run.nodes, 2U);
  EXPECT_FALSE(run.recorded_s);
  ReplayChanges changes;
  changes.placement = "0-3:a";
  EXPECT_THROW(replay_generated(halo, changes, {"ideal"}, nothing), Error);
}

TEST(ReplayedRun, IsARunOfTransposesAsLongAsItsComputationAndExchanges) {
  const auto nothing = [](const std::string&) {};
  const ReplayedRun run = replay_generated("transposes,ranks=8,compute=10ms,bytes=8MB,iterations=3",
                                           {}, {"ideal", "latency=1us,bandwidth=1GB/s"}, nothing);
  EXPECT_EQ(run.ranks, 8U);
  EXPECT_EQ(run.nodes, 8U);
  EXPECT_TRUE(run.all_ended());
  EXPECT_NEAR(run.networks[0].result.middle.time_s, 0.03, 1e-9);
  // Seven of eight parts of 8 MB travel one after the other, three times.
  EXPECT_NEAR(run.networks[1].result.middle.time_s, 0.03 + 3 * 7e-3, 1e-3);
}

TEST(RecordedSeconds, AreThoseOfTheRanksThatWereRecorded) {
  trace::Trace trace = one_message();
  EXPECT_NEAR(trace::recorded_seconds(trace), 1.001, 1e-6);
  for (trace::Rank& rank : trace.ranks) {
    rank.begin += 5'000'000'000;
    rank.end += 5'000'000'000;
  }
  trace.ranks.emplace_back();  // it left no record
  EXPECT_NEAR(trace::recorded_seconds(trace), 1.001, 1e-6);
  EXPECT_EQ(trace::recorded_seconds({}), 0);
}

}  // namespace
}  // namespace plait::replay
