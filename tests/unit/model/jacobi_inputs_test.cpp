// SPDX-License-Identifier: BSD-3-Clause
// The inputs of the model from machine files; those of Townsend are the figures of the thesis.
#include "model/jacobi_inputs.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "csv.hpp"
#include "machine/machine_file.hpp"
#include "plait/error.hpp"

namespace plait::model {
namespace {

machine::Measured measured_of(const std::string& name) {
  return machine::load(std::string(PLAIT_TEST_DATA) + "/machines/" + name + ".json")
      .measured.value();
}

machine::Statistic statistic(double low, double median, double high) {
  machine::Statistic value;
  value.min = low;
  value.median = median;
  value.ci_low = low;
  value.ci_high = high;
  value.n = 9;
  return value;
}

TEST(JacobiInputs, TownsendHasTheFiguresOfTheThesis) {
  const machine::Measured measured = measured_of("townsend");
  const SpeedTable speed = jacobi_speed(measured, "townsend");
  const Link link = network_link(measured, 115200).value();
  std::map<std::string, double> paper;
  for (const CsvRow& row : read_csv("stengel/stengel_machine_townsend.csv")) {
    paper[row.at("quantity")] = number(row, "value");
  }
  EXPECT_DOUBLE_EQ(speed.at(1), paper.at("sweep_performance_1core") * 1e6);
  EXPECT_DOUBLE_EQ(speed.at(2), paper.at("sweep_performance_2cores") * 1e6);
  EXPECT_DOUBLE_EQ(link.pair_bytes_per_s.value, paper.at("bandwidth_single_pair") * 1e6);
  EXPECT_DOUBLE_EQ(link.several_bytes_per_s.value, paper.at("bandwidth_multi_pair") * 1e6);
  EXPECT_DOUBLE_EQ(link.latency_s.value, paper.at("latency") * 1e-6);
  EXPECT_FALSE(inside_link(measured, 115200)) << "the network is not inside";
}

TEST(JacobiInputs, TheFasterKindOfStoresIsUsed) {
  machine::Measured measured;
  measured.jacobi.push_back({1, {400, 400, 400}, false, statistic(90, 100, 110)});
  measured.jacobi.push_back({1, {400, 400, 400}, true, statistic(115, 120, 130)});
  measured.jacobi.push_back({2, {400, 400, 400}, true, statistic(150, 160, 170)});
  const SpeedTable speed = jacobi_speed(measured, "here");
  EXPECT_DOUBLE_EQ(speed.at(1), 120e6);
  EXPECT_DOUBLE_EQ(speed.at(1, Bound::low), 115e6);
  EXPECT_DOUBLE_EQ(speed.at(2, Bound::high), 170e6);
}

TEST(JacobiInputs, UnusableFiguresAreLeftOut) {
  machine::Measured measured;
  measured.jacobi = {{1, {96, 96, 96}, false, statistic(90, 100, 110)},
                     {2, {96, 96, 96}, false, statistic(10, 20, 30)},
                     {4, {96, 96, 96}, false, statistic(290, 300, 310)}};
  measured.jacobi[1].mlups.unusable = "slower than P(1)";
  EXPECT_DOUBLE_EQ(jacobi_speed(measured, "here").at(2), 500e6 / 3) << "between P(1) and P(4)";
  machine::Path path;
  path.mpi_pingping = {{0, statistic(900, 1000, 1100), 0},
                       {64, statistic(1.9, 2, 2.1), 0.032},
                       {65536, statistic(40, 50, 60), 1.3}};
  path.mpi_pingping[0].time_us.unusable = "longer than 64 B";
  EXPECT_DOUBLE_EQ(link_of(path, 65536)->latency_s.value, 2e-6);
  for (machine::JacobiResult& result : measured.jacobi) result.mlups.unusable = "too slow";
  EXPECT_FALSE(knows_jacobi_speed(measured));
  EXPECT_THROW(jacobi_speed(measured, "here"), Error);
}

TEST(JacobiInputs, FewSamplesHaveAWideInterval) {
  machine::Measured measured;
  measured.jacobi = {{1, {96, 96, 96}, false, statistic(100, 100, 100)}};
  measured.jacobi[0].mlups.n = 1;
  EXPECT_DOUBLE_EQ(jacobi_speed(measured, "paper").at(1, Bound::low), 100e6)
      << "a published figure has no samples";
  measured.jacobi[0].mlups.samples = {100};
  EXPECT_DOUBLE_EQ(jacobi_speed(measured, "here").at(1, Bound::low), 75e6);
  EXPECT_DOUBLE_EQ(jacobi_speed(measured, "here").at(1, Bound::high), 125e6);
  measured.jacobi[0].mlups.n = 5;
  EXPECT_DOUBLE_EQ(jacobi_speed(measured, "here").at(1, Bound::high), 105e6);
}

TEST(JacobiInputs, BandwidthIsThatOfTheClosestMessageSize) {
  machine::Path path;
  path.id = "network";
  path.mpi_pingping.push_back({0, statistic(9, 10, 12), 0});
  path.mpi_pingping.push_back({1024, statistic(10, 11, 12), 0.1});
  path.mpi_pingping.push_back({65536, statistic(40, 50, 100), 1.3});
  path.mpi_pingping.push_back({1 << 20, statistic(500, 520, 530), 2});
  path.mpi_multi_pair.push_back({1, 65536, statistic(1.2, 1.3, 1.4)});
  path.mpi_multi_pair.push_back({4, 65536, statistic(2.2, 2.4, 2.5)});
  path.mpi_multi_pair.push_back({8, 1024, statistic(0.2, 0.4, 0.5)});
  const Link link = link_of(path, 100000).value();
  EXPECT_DOUBLE_EQ(link.latency_s.value, 10e-6);
  EXPECT_DOUBLE_EQ(link.latency_s.high, 12e-6);
  EXPECT_DOUBLE_EQ(link.pair_bytes_per_s.value, 1.3e9);
  EXPECT_DOUBLE_EQ(link.pair_bytes_per_s.low, 1.3e9 / 2) << "the time may be twice the median";
  EXPECT_DOUBLE_EQ(link.pair_bytes_per_s.high, 1.3e9 * 50 / 40);
  EXPECT_DOUBLE_EQ(link.several_bytes_per_s.value, 2.4e9);
  EXPECT_DOUBLE_EQ(link_of(path, 1 << 22)->pair_bytes_per_s.value, 2e9);
  path.mpi_multi_pair_pingping.push_back({4, 65536, statistic(1.7, 1.8, 1.9)});
  EXPECT_DOUBLE_EQ(link_of(path, 100000)->several_bytes_per_s.value, 1.8e9) << "both ways";
  path.mpi_multi_pair_pingping.clear();
  path.mpi_multi_pair.clear();
  EXPECT_DOUBLE_EQ(link_of(path, 100000)->several_bytes_per_s.value, 1.3e9);
}

TEST(JacobiInputs, AllToAllIsThatOfTheNearestNodesAndProcessesBetweenSizes) {
  machine::Measured measured;
  EXPECT_FALSE(all_to_all_bandwidth(measured, 4, 2, 8));
  const auto add = [&](int nodes, int per_node, std::uint64_t bytes, double gbs) {
    measured.all_to_all.push_back(
        {nodes, per_node, per_node, "packed", bytes, statistic(gbs, gbs, gbs)});
  };
  add(1, 2, 16384, 9);
  EXPECT_FALSE(all_to_all_bandwidth(measured, 4, 2, 8)) << "in a node";
  add(2, 2, 16384, 0.3);
  add(4, 2, 1024, 0.1);
  add(4, 2, 16384, 0.2);
  add(4, 1, 16384, 0.4);
  // Six of seven messages of two processes leave the node.
  EXPECT_DOUBLE_EQ(all_to_all_bandwidth(measured, 4, 2, 1 << 20)->value, 0.2e9 * 2 * 6 / 7);
  EXPECT_DOUBLE_EQ(all_to_all_bandwidth(measured, 32, 2, 64)->value, 0.1e9 * 2 * 6 / 7);
  EXPECT_DOUBLE_EQ(all_to_all_bandwidth(measured, 4, 1, 8)->value, 0.4e9);
  // Messages of 1 KiB take 10.24 us, of 16 KiB 81.92 us.
  EXPECT_NEAR(all_to_all_bandwidth(measured, 4, 2, 8704)->value * 7 / (2 * 6),
              8704 / ((10.24e-6 + 81.92e-6) / 2), 1);
  measured.all_to_all.back().bandwidth_gbs.unusable = "too wide";
  EXPECT_DOUBLE_EQ(all_to_all_bandwidth(measured, 4, 1, 16384)->value, 0.2e9 * 2 * 6 / 7);
}

TEST(JacobiInputs, PingPongReplacesMissingPingPing) {
  machine::Path path;
  path.mpi_pingpong.push_back({8, statistic(1, 2, 3), 0.004});
  path.mpi_pingpong.push_back({65536, statistic(30, 33, 36), 2});
  const Link link = link_of(path, 65536).value();
  EXPECT_DOUBLE_EQ(link.latency_s.value, 2e-6);
  EXPECT_DOUBLE_EQ(link.pair_bytes_per_s.value, 2e9);
}

TEST(JacobiInputs, TheSlowestPathInsideANodeIsUsed) {
  const machine::Measured measured = measured_of("measured-example");
  const Link inside = inside_link(measured, 65536).value();
  for (const machine::Path& path : measured.paths) {
    const std::optional<Link> link = link_of(path, 65536);
    if (path.id == "smt" || !link) continue;
    EXPECT_LE(inside.pair_bytes_per_s.value, link->pair_bytes_per_s.value);
  }
  EXPECT_FALSE(network_link(measured, 65536));
}

TEST(JacobiInputs, MissingMeasurementsAreReported) {
  const machine::Measured nothing;
  EXPECT_THROW(jacobi_speed(nothing, "here"), Error);
  EXPECT_FALSE(network_link(nothing, 8));
  EXPECT_FALSE(inside_link(nothing, 8));
  EXPECT_FALSE(link_of(machine::Path{}, 8));
}

}  // namespace
}  // namespace plait::model
