// SPDX-License-Identifier: BSD-3-Clause
// Viet's three models against his equations, table 4 and the counts of the benchmarks.
#include "model/hybrid_prediction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "csv.hpp"
#include "machine/open_machine.hpp"
#include "model/hybrid_inputs.hpp"
#include "model/hybrid_programs.hpp"
#include "plait/error.hpp"

namespace plait::model {
namespace {

Interval sharp(double value) {
  return {value, value, value};
}

/// Links without latency, of one pair and of several, in bytes per second.
std::function<std::optional<Link>(std::uint64_t)> link_of_rates(double pair, double several) {
  return [=](std::uint64_t) { return Link{sharp(0), sharp(pair), sharp(several)}; };
}

/// A block that sends `bytes` with PC and TC, and nothing with MPI.
HybridBlock block_of(double work, double bytes) {
  HybridBlock block;
  block.work = work;
  block.pc.bytes = block.tc.bytes = bytes;
  return block;
}

TEST(HybridPrediction, Equation7GivesTheGainsOfTable4) {
  // Sun cluster: speed in proportion to cores, T_m = 114 s for any number of them.
  const std::vector<double> expected{57.0, 85.5, 99.75};
  std::size_t row_number = 0;
  for (const CsvRow& row : read_csv("viet/viet_table_4.csv")) {
    if (row.at("cluster") != "sun") continue;
    const int cores = static_cast<int>(number(row, "nppn"));
    const double compute_s = number(row, "T_PC_s") - 114;
    const HybridInputs inputs{SpeedTable::linear(1, cores), cores, link_of_rates(1, 1),
                              link_of_rates(1, 1)};
    const HybridPrediction time = predict_hybrid({block_of(compute_s * cores, 114)}, inputs);
    EXPECT_NEAR(time.pc.total.s, number(row, "T_PC_s"), 1e-9);
    EXPECT_NEAR(time.pc.total.s - time.tc.total.s, expected.at(row_number++), 1e-9);
    EXPECT_NEAR(time.tc.total.s, number(row, "T_TC_s"), 2);
    EXPECT_NEAR(time.tc.overlap_s, 114, 1e-9);
    // Equation 7: the gain is T_overlap S_overlap / S_PC.
    EXPECT_NEAR(time.pc.total.s - time.tc.total.s, time.tc.overlap_s * (cores - 1) / cores, 1e-9);
  }
  EXPECT_EQ(row_number, 3U);
}

TEST(HybridPrediction, SaturatedCoresLoseNothingToTheCommunicatingThread) {
  // Intel cluster, CG: the second core adds no speed.
  const HybridInputs inputs{SpeedTable({{1, 2.0}, {2, 2.0}}), 2, link_of_rates(1, 1),
                            link_of_rates(1, 1)};
  const HybridPrediction time = predict_hybrid({block_of(10, 3)}, inputs);
  EXPECT_DOUBLE_EQ(time.pc.total.s, 5 + 3);
  EXPECT_DOUBLE_EQ(time.tc.total.s, 5);
}

TEST(HybridPrediction, CommunicationThatDependsOnTheLastGrainIsNotHidden) {
  HybridBlock block = block_of(10, 4);
  block.exposed = 0.25;
  block.outside_hybrid = 2;
  const HybridInputs inputs{SpeedTable({{1, 2.0}, {2, 2.0}}), 2, link_of_rates(1, 1),
                            link_of_rates(1, 1)};
  const HybridPrediction time = predict_hybrid({block}, inputs);
  EXPECT_DOUBLE_EQ(time.pc.total.s, 5 + 4 + 1);
  EXPECT_DOUBLE_EQ(time.tc.total.s, 5 + 1 + 1);
  block.outside_overlaps = true;
  EXPECT_DOUBLE_EQ(predict_hybrid({block}, inputs).tc.total.s, 5 + 1);
  block.runs = 3;
  EXPECT_DOUBLE_EQ(predict_hybrid({block}, inputs).tc.total.s, 3 * (5 + 1));
}

TEST(HybridPrediction, TheFactorsDecideBetweenMpiAndPc) {
  // Table 1, Intel: one channel has 58.91 % of the bandwidth of two, a node 5.24 times as much.
  HybridBlock block;
  block.mpi.bytes = block.pc.bytes = block.tc.bytes = 600;
  block.mpi.channels = 2;
  const HybridInputs inputs{SpeedTable::linear(1, 2), 2, link_of_rates(0.5891, 1),
                            link_of_rates(5.24, 5.24)};
  HybridPrediction time = predict_hybrid({block}, inputs);
  EXPECT_DOUBLE_EQ(time.mpi.total.s, 600);
  EXPECT_DOUBLE_EQ(time.pc.total.s, 600 / 0.5891);
  // Factors 2 and 1: messages in the node; factor 4: more volume between nodes.
  block.mpi.inside_bytes = 524;
  block.mpi.bytes = 1200;
  time = predict_hybrid({block}, inputs);
  EXPECT_DOUBLE_EQ(time.mpi.total.s, 1200 + 100);
  EXPECT_DOUBLE_EQ(time.mpi.inside_s, 100);
  // One core and one channel: all models are the same.
  block.mpi = block.pc;
  block.work = 7;
  const HybridInputs one{SpeedTable::linear(1, 1), 1, link_of_rates(0.5891, 1),
                         link_of_rates(1, 1)};
  time = predict_hybrid({block}, one);
  EXPECT_DOUBLE_EQ(time.mpi.total.s, time.pc.total.s);
  EXPECT_DOUBLE_EQ(time.tc.total.s, time.pc.total.s);
  EXPECT_DOUBLE_EQ(time.tc.total.low_s, 600 / 0.5891) << "the messages hide the work at best";
}

TEST(HybridPrediction, ChannelsAddUpUntilTheNetworkIsSaturated) {
  const Link link{sharp(0), sharp(40), sharp(100)};
  EXPECT_EQ(bandwidth_of(link, 1), 40);
  EXPECT_EQ(bandwidth_of(link, 2), 80);
  EXPECT_EQ(bandwidth_of(link, 8), 100);
}

TEST(HybridPrediction, IntervalsContainTheirValues) {
  HybridInputs inputs{SpeedTable::with_intervals({{1, 10, 9, 12}, {2, 16, 14, 17}}), 2, {}, {}};
  inputs.network = inputs.inside = [](std::uint64_t) {
    return Link{{2, 1, 3}, {5, 4, 6}, {8, 7, 9}};
  };
  for (const HybridCase& of : {cg_case(cg_class("S"), 4, 2), hpl_case({2000, 100}, 5, 2)}) {
    const HybridPrediction time = predict_hybrid(of.blocks, inputs);
    for (const ModelTime* one : {&time.mpi, &time.pc, &time.tc}) {
      EXPECT_LT(one->total.low_s, one->total.s);
      EXPECT_LT(one->total.s, one->total.high_s);
    }
  }
}

TEST(HybridPrediction, AnUnknownNetworkIsNamed) {
  const HybridInputs inputs{SpeedTable::linear(1, 2), 2,
                            [](std::uint64_t) { return std::optional<Link>(); },
                            link_of_rates(1, 1)};
  EXPECT_THROW(predict_hybrid({block_of(1, 1)}, inputs), Error);
  EXPECT_EQ(predict_hybrid({block_of(4, 0)}, inputs).pc.total.s, 2);
}

TEST(HybridPrograms, CgCountsAsTheBenchmark) {
  // NPB prints 1508 and 54.9 thousand Mop for A and B with the nonzeros that it makes.
  EXPECT_NEAR(flops_of(cg_class("A")), 1.4965e9, 1e6);
  EXPECT_NEAR(flops_of(cg_class("B")), 5.4709e10, 1e7);
  EXPECT_THROW(cg_class("F"), Error);
  const HybridCase of = cg_case(cg_class("B"), 2, 8);
  const HybridBlock& block = of.blocks.front();
  EXPECT_EQ(block.runs, 75 * 26);
  EXPECT_DOUBLE_EQ(block.pc.bytes, 0.5 * 8 * 75000) << "table 3 (a)";
  EXPECT_DOUBLE_EQ(block.mpi.bytes, 8 * 75000) << "1 with 8 processes per node";
  EXPECT_EQ(block.mpi.channels, 4);
  EXPECT_EQ(block.exposed, 1.0 / 37) << "75000 / 2000 grains";
  EXPECT_THROW(cg_case(cg_class("B"), 3, 2), Error);
}

TEST(HybridPrograms, IterationsOfHplAddUpToItsFlops) {
  const HplProblem problem{8000, 80};
  const HybridCase of = hpl_case(problem, 4, 2);
  double work = 0, bytes = 0;
  for (const HybridBlock& block : of.blocks) {
    work += 4 * block.work;
    bytes += block.pc.bytes;
  }
  EXPECT_EQ(of.blocks.size(), 100U);
  EXPECT_NEAR(work / flops_of(problem), 1, 0.02);
  // U and L of all iterations, each half a matrix, go to one other node of 2 x 2, V_m = 1.
  EXPECT_NEAR(bytes / (8.0 * 8000 * 8000 / 2), 1, 0.02);
  EXPECT_EQ(of.hybrid, (Grid{2, 2}));
  EXPECT_EQ(hpl_case(problem, 4, 2, Grid{1, 4}).hybrid, (Grid{1, 4}));
  EXPECT_EQ(hpl_case(problem, 4, 2, Grid{8, 1}).mpi, (Grid{8, 1}));
  EXPECT_THROW(hpl_case(problem, 4, 2, Grid{3, 1}), Error);
}

TEST(HybridPrograms, FewerNodesCanSendLess) {
  for (const int nodes : {3, 5, 7, 11}) EXPECT_TRUE(is_bad_for_hpl(nodes)) << nodes;
  for (const int nodes : {1, 2, 4, 6, 8, 9, 12}) EXPECT_FALSE(is_bad_for_hpl(nodes)) << nodes;
}

TEST(HybridPrograms, TheBestGridSendsLeastPerNode) {
  for (const auto& [nodes, cores] : {std::pair{4, 4}, {2, 8}, {6, 2}, {8, 1}}) {
    const NodeOfProcess mapping = block_mapping(nodes * cores, cores);
    const Grid best = best_hpl_grid(nodes, cores);
    const Rational least = hpl_volume(best.rows, best.columns, mapping).node;
    for (int rows = 1; rows <= nodes * cores; ++rows) {
      if (nodes * cores % rows != 0) continue;
      EXPECT_GE(hpl_volume(rows, nodes * cores / rows, mapping).node, least);
    }
  }
  EXPECT_EQ(best_hpl_grid(8, 1), (Grid{2, 4}));
}

TEST(HybridPrograms, MessagesInsideANodeAreCounted) {
  // Four processes: each sends half of the vector to its row; two are their own transposes.
  const Volume found = volume(cg_pattern(4), block_mapping(4, 4));
  EXPECT_EQ(found.inside, Rational(3));
  EXPECT_EQ(found.inside_messages, 2);
  EXPECT_EQ(found.messages, 0);
  EXPECT_EQ(volume(cg_pattern(4), block_mapping(4, 1)).messages, 2);
}

TEST(HybridInputs, AreReadFromAMachineFile) {
  const machine::MachineFile townsend =
      machine::open_machine(PLAIT_TEST_DATA "/machines/townsend.json");
  const SpeedTable speed = cg_speed(*townsend.measured, "townsend");
  EXPECT_NEAR(speed.at(2), 198e6 * 16 / kCgBytesPerFlop * 0.85, 1e3);
  EXPECT_LT(speed.at(2, Bound::low), speed.at(2));
  EXPECT_THROW(hpl_speed(*townsend.measured, "townsend"), Error);
  machine::Measured measured = *townsend.measured;
  machine::PeakResult peak;
  peak.cores = 1;
  peak.gflops.median = 50;
  measured.peak = {peak};
  EXPECT_NEAR(hpl_speed(measured, "x").at(1), 45e9, 1);
}

}  // namespace
}  // namespace plait::model
