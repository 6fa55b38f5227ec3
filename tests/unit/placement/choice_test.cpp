// SPDX-License-Identifier: BSD-3-Clause
// Tests which 4 of 8 cores (Henriksen) and how many ranks per package (Jost), with made-up figures.
#include "placement/choice.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "machine/open_machine.hpp"
#include "plait/error.hpp"

namespace plait::placement {
namespace {

machine::Topology clovertown() {
  return machine::open_machine(PLAIT_TEST_DATA "/machines/clovertown.json").topology;
}

machine::Statistic exactly(double value) {
  return {value, value, value, value, 1, {}};
}

/// Two packages with a bus of 5 GB/s each. Messages take `l2_us` in a shared L2, `node_us`
/// elsewhere.
machine::Measured figures(double l2_us, double node_us) {
  machine::Measured measured;
  for (const auto& [threads, gbs] : {std::pair{1, 3.0}, {2, 4.0}, {4, 5.0}, {8, 10.0}}) {
    measured.stream.push_back({"copy", false, threads, 1 << 20, exactly(gbs)});
  }
  for (const auto& [id, us] : {std::pair{"l2", l2_us}, {"node", node_us}}) {
    machine::Path path;
    path.id = id;
    path.mpi_pingpong = {{0, exactly(us), 0}, {1000, exactly(us), 1}, {2000, exactly(2 * us), 1}};
    measured.paths.push_back(std::move(path));
  }
  return measured;
}

ProgramProfile program(double messages) {
  ProgramProfile profile;
  profile.ranks = 4;
  profile.compute_s = 10;
  profile.mpi_s = 8;
  profile.cores = {{0}, {1}, {2}, {3}};
  for (const auto& [from, to] : {std::pair{0, 1}, {1, 0}, {2, 3}, {3, 2}}) {
    profile.traffic.push_back({from, to, messages, messages * 1000});
  }
  return profile;
}

TEST(PlacementChoice, BandwidthIsLimitedByCachesBusesAndTheNode) {
  const machine::Topology node = clovertown();
  const machine::Measured measured = figures(1, 3);
  EXPECT_DOUBLE_EQ(bandwidth_of(node, measured, {0}), 3);
  EXPECT_DOUBLE_EQ(bandwidth_of(node, measured, {0, 1}), 4);
  EXPECT_DOUBLE_EQ(bandwidth_of(node, measured, {0, 1, 2, 3}), 5);
  EXPECT_DOUBLE_EQ(bandwidth_of(node, measured, {0, 4}), 6);
  EXPECT_DOUBLE_EQ(bandwidth_of(node, measured, {0, 2, 4, 6}), 10);
}

TEST(PlacementChoice, MessagesTakeThePathBetweenTheirCores) {
  const machine::Topology node = clovertown();
  const machine::Measured measured = figures(1, 3);
  EXPECT_DOUBLE_EQ(message_s(node, measured, 0, 1, 500), 1e-6);
  EXPECT_DOUBLE_EQ(message_s(node, measured, 0, 1, 1500), 1.5e-6);
  EXPECT_DOUBLE_EQ(message_s(node, measured, 0, 1, 8000), 8e-6);
  EXPECT_DOUBLE_EQ(message_s(node, measured, 0, 4, 0), 3e-6);
  EXPECT_DOUBLE_EQ(message_s(node, measured, 0, 2, 0), 3e-6) << "package: not measured";
}

TEST(PlacementChoice, ComputingThatWaitsForMemoryFavoursSpread) {
  const PlacementChoice choice = choose_placement(program(0), clovertown(), figures(1, 3));
  ASSERT_GE(choice.alternatives.size(), 2u);
  EXPECT_EQ(choice.best, 1u);
  EXPECT_DOUBLE_EQ(choice.alternatives[0].seconds, 18);
  EXPECT_DOUBLE_EQ(choice.alternatives[1].low_s, 18);
  EXPECT_DOUBLE_EQ(choice.alternatives[1].high_s, 13);
}

TEST(PlacementChoice, MessagesFavourPackedAndTheBreakEvenIsReported) {
  // 2e6 messages per rank (sent and received): 2 s packed, 6 s spread; memory saves 5 s at most.
  const PlacementChoice choice = choose_placement(program(1e6), clovertown(), figures(1, 3));
  EXPECT_DOUBLE_EQ(choice.alternatives[0].messages_s, 2);
  EXPECT_DOUBLE_EQ(choice.alternatives[1].messages_s, 6);
  EXPECT_EQ(choice.best, 0u);
  ASSERT_TRUE(choice.break_even);
  EXPECT_DOUBLE_EQ(*choice.break_even, 0.8);
  ProgramProfile bound = program(1e6);
  bound.memory_bound = 0.9;
  EXPECT_EQ(choose_placement(bound, clovertown(), figures(1, 3)).best, 1u);
}

TEST(PlacementChoice, FewerRanksPerPackageTakeMoreNodesIfANetworkWasMeasured) {
  machine::Measured measured = figures(1, 3);
  const auto without = choose_placement(program(0), clovertown(), measured);
  EXPECT_EQ(without.alternatives.size(), 4u) << "2 and 4 per package";
  EXPECT_EQ(without.notes.size(), 1u);
  machine::Path network = measured.paths.back();
  network.id = "network";
  measured.paths.push_back(network);
  const auto with = choose_placement(program(0), clovertown(), measured);
  ASSERT_EQ(with.alternatives.size(), 5u);
  EXPECT_EQ(with.alternatives[2].nodes, 2);
  EXPECT_DOUBLE_EQ(with.alternatives[2].bandwidth_gbs, 12);
  ASSERT_EQ(with.notes.size(), 2U) << "one for each path inside the node";
  EXPECT_TRUE(with.notes[1].starts_with("Messages from ")) << "the network is as fast as it";
}

TEST(PlacementChoice, ARunOnSeveralNodesKeepsItsNodesAndItsMessagesUseTheNetwork) {
  ProgramProfile two = program(1e6);
  two.ranks = 2;
  two.nodes = 2;
  two.cores = {{0}, {0}};
  two.node = {0, 1};
  machine::Measured measured = figures(1, 3);
  EXPECT_THROW(choose_placement(two, clovertown(), measured), Error) << "no network";
  machine::Path network = measured.paths.back();
  network.id = "network";
  for (auto& point : network.mpi_pingpong) point.half_round_trip_us = exactly(50);
  measured.paths.push_back(network);
  const PlacementChoice choice = choose_placement(two, clovertown(), measured);
  EXPECT_EQ(choice.alternatives[0].intent, "2 ranks x 1 thread, packed, 2 nodes");
  EXPECT_EQ(choice.alternatives[0].nodes, 2);
  EXPECT_DOUBLE_EQ(choice.alternatives[0].messages_s, 100) << "2e6 messages of 50 us";
  EXPECT_DOUBLE_EQ(choice.alternatives[1].seconds, 18) << "as it was measured";
  EXPECT_TRUE(choice.alike);
  EXPECT_EQ(choice.best, 0u);
  EXPECT_FALSE(choose_placement(program(0), clovertown(), measured).alike);
}

TEST(PlacementChoice, WithoutMeasurementsThereIsNoAnswer) {
  EXPECT_THROW(choose_placement(program(0), clovertown(), {}), Error);
}

}  // namespace
}  // namespace plait::placement
