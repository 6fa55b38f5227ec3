// SPDX-License-Identifier: BSD-3-Clause
// The prediction of plait-boussinesq against sums by hand and against bytes that the program
// counts.
#include "model/boussinesq_prediction.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plait/error.hpp"

namespace plait::model {
namespace {

Interval sharp(double value) {
  return {value, value, value};
}

BoussinesqCase paper1(int ranks, int threads, int per_node) {
  BoussinesqCase of;
  of.points = {256, 512, 256};
  of.ranks = ranks;
  of.threads = threads;
  of.ranks_per_node = per_node;
  return of;
}

BoussinesqInputs inputs(double latency_s) {
  const auto link = [latency_s](std::uint64_t) {
    return std::optional(Link{sharp(latency_s), sharp(1e9), sharp(4e9)});
  };
  return {SpeedTable::linear(1e10, 8), SpeedTable::linear(1e15, 8), link, link};
}

TEST(BoussinesqPrediction, KeepsTheModesOfTheTwoThirdsRuleAndKnowsItsLimits) {
  const BoussinesqCase of = paper1(256, 1, 8);
  EXPECT_EQ(of.modes_x(), 86);
  EXPECT_EQ(of.modes_y(), 341);
  EXPECT_EQ(of.nodes(), 32);
  EXPECT_EQ(most_slabs(of), 256);
  EXPECT_TRUE(fits(of));
  BoussinesqCase more = paper1(512, 1, 8);
  EXPECT_FALSE(fits(more));
  more.pencils = fitting_pencils(more);
  EXPECT_EQ(more.pencils, (std::array<int, 2>{2, 256}));
  EXPECT_TRUE(fits(more));
  EXPECT_EQ(fitting_pencils(paper1(100003, 1, 8)), (std::array<int, 2>{0, 0}));
}

TEST(BoussinesqPrediction, CountsTransformsOfWholePlanesPerThread) {
  // 256 planes on 128 ranks: 2 each. 13 fields, of each 86 complex lines of 512 and 512 real lines
  // of 256.
  const double plane = 86 * 5.0 * 512 * 9 + 512 * 2.5 * 256 * 8;
  EXPECT_DOUBLE_EQ(boussinesq_work(paper1(128, 1, 8)).transform_flops, 13 * plane * 2);
  EXPECT_DOUBLE_EQ(boussinesq_work(paper1(128, 2, 4)).transform_flops, 13 * plane * 2);
  // One plane per rank keeps one of two threads busy.
  EXPECT_DOUBLE_EQ(boussinesq_work(paper1(256, 2, 4)).transform_flops, 13 * plane * 2);
}

TEST(BoussinesqPrediction, CountsDerivativesWhereTheyAreTaken) {
  BoussinesqCase of = paper1(128, 1, 8);
  of.subgrid = true;
  // 7 fields and 4 derivatives along y become 15 rows along x; 12 results return.
  const double plane = 23 * 86 * 5.0 * 512 * 9 + 27 * 512 * 2.5 * 256 * 8;
  EXPECT_DOUBLE_EQ(boussinesq_work(of).transform_flops, plane * 2);
  BoussinesqCase without = of;
  without.subgrid = false;
  EXPECT_DOUBLE_EQ(boussinesq_messages(of).network_bytes,
                   boussinesq_messages(without).network_bytes * 19 / 13);
  // All ranks in one row of pencils: only the second transpose, whose fields are 11 and 12.
  of.ranks = without.ranks = 4;
  of.ranks_per_node = without.ranks_per_node = 1;
  of.pencils = without.pencils = {4, 1};
  EXPECT_DOUBLE_EQ(boussinesq_messages(of).network_bytes,
                   boussinesq_messages(without).network_bytes * 23 / 13);
}

TEST(BoussinesqPrediction, ComputesASubgridModelAtEachPoint) {
  BoussinesqCase of = paper1(1, 1, 1);
  EXPECT_EQ(boussinesq_work(of).subgrid_points, 0);
  of.subgrid = true;
  const BoussinesqWork work = boussinesq_work(of);
  EXPECT_EQ(work.subgrid_points, 256.0 * 512 * 256);
  EXPECT_NEAR(predict_boussinesq(of, inputs(0)).transforms_s,
              (work.transform_flops + kSubgridFlops.value * work.subgrid_points) /
                  (1e10 * kTransformsOfGemm.value),
              1e-9);
}

TEST(BoussinesqPrediction, SendsKeptModesOnly) {
  // Two ranks on two nodes: 171 of 341 ky, half of which go to the other.
  const BoussinesqMessages two = boussinesq_messages(paper1(2, 1, 1));
  const double half = 13 * 16.0 * 86 * 171 * 256 / 2;
  EXPECT_DOUBLE_EQ(two.network_bytes, half);
  EXPECT_EQ(two.inside_bytes, 0);
  EXPECT_EQ(two.network_messages, 2 * 4);
  EXPECT_DOUBLE_EQ(two.message_bytes, half / 8);
  // Four ranks on two nodes: each sends a quarter to its neighbour and two to the other node.
  const BoussinesqMessages four = boussinesq_messages(paper1(4, 1, 2));
  const double quarter = 13 * 16.0 * 86 * 86 * 256 / 4;
  EXPECT_DOUBLE_EQ(four.inside_bytes, 2 * quarter);
  EXPECT_DOUBLE_EQ(four.network_bytes, 2 * 2 * quarter);
  EXPECT_EQ(four.inside_messages, 8);
  EXPECT_EQ(four.network_messages, 16);
}

TEST(BoussinesqPrediction, AddsPartsAndOverlapsChunks) {
  const BoussinesqCase of = paper1(2, 1, 1);
  const BoussinesqTime time = predict_boussinesq(of, inputs(1e-3));
  const BoussinesqMessages sent = boussinesq_messages(of);
  EXPECT_NEAR(time.network_s, sent.network_bytes / 1e9 + 2e-3, 1e-9) << "whole transposes";
  EXPECT_NEAR(time.transforms_s,
              boussinesq_work(of).transform_flops / (1e10 * kTransformsOfGemm.value), 1e-9);
  EXPECT_NEAR(time.columns_s, boussinesq_work(of).column_flops / (1e10 * kColumnsOfGemm.value),
              1e-9);
  EXPECT_NEAR(time.total.s, time.transforms_s + time.columns_s + time.inside_s + time.network_s,
              1e-12);
  // Three of four chunks travel beside the transforms, in four times as many messages.
  const double chunked_s = time.network_s + 6e-3;
  EXPECT_NEAR(time.total.s + 6e-3 - time.overlapped_s,
              0.75 * std::min(time.transforms_s, chunked_s), 1e-12);
  EXPECT_LT(time.total.low_s, time.overlapped_s);
  EXPECT_NEAR((time.total.high_s - time.network_s - time.inside_s) /
                  (boussinesq_work(of).transform_flops / (1e10 * kTransformsOfGemm.low) +
                   boussinesq_work(of).column_flops / (1e10 * kColumnsOfGemm.low)),
              1, 1e-9);
  EXPECT_THROW(predict_boussinesq(of, {SpeedTable::linear(1, 1), SpeedTable::linear(1, 1),
                                       [](std::uint64_t) { return std::optional<Link>(); },
                                       [](std::uint64_t) { return std::optional<Link>(); }}),
               Error);
}

TEST(BoussinesqPrediction, SendsAtTheBandwidthOfMeasuredAllToAllExchanges) {
  const BoussinesqCase of = paper1(8, 1, 2);
  BoussinesqInputs slower = inputs(1e-3);
  slower.all_to_all = [](int nodes, int per_node, std::uint64_t) {
    EXPECT_EQ(nodes, 4);
    EXPECT_EQ(per_node, 2);
    return std::optional(Interval{2e8, 1e8, 4e8});
  };
  const double bytes = boussinesq_messages(of).network_bytes;
  const BoussinesqTime time = predict_boussinesq(of, slower);
  EXPECT_DOUBLE_EQ(time.network_s, bytes / 2e8);
  EXPECT_GT(time.total.high_s, bytes / 1e8);
  BoussinesqInputs without_pairs = slower;
  without_pairs.network = [](std::uint64_t) { return std::optional<Link>(); };
  EXPECT_LT(time.total.low_s, predict_boussinesq(of, without_pairs).total.low_s)
      << "another transport may be as fast as pairs";
  slower.all_to_all = [](int, int, std::uint64_t) { return std::optional<Interval>(); };
  EXPECT_LT(predict_boussinesq(of, slower).network_s, time.network_s);
}

TEST(BoussinesqPrediction, RanksOfOneNodeReadInPlace) {
  const BoussinesqCase of = paper1(2, 1, 2);
  const BoussinesqTime time = predict_boussinesq(of, inputs(1e-3));
  const double memory_s =
      boussinesq_work(of).copied_bytes / 2 / (inputs(1e-3).memory_bytes.at(2) / 2);
  EXPECT_DOUBLE_EQ(time.inside_s, memory_s / kTransposeOfMemory.value);
}

TEST(BoussinesqPrediction, IsBoundByMemoryWhereThatIsSlower) {
  BoussinesqInputs slow = inputs(0);
  slow.memory_bytes = SpeedTable::linear(1e6, 8);
  const BoussinesqCase of = paper1(1, 1, 1);
  EXPECT_NEAR(predict_boussinesq(of, slow).columns_s, boussinesq_work(of).column_bytes / 1e6, 1e-6);
}

// As plait-boussinesq --size 64x64x65 --json counts them.
TEST(BoussinesqPrediction, CountsTheBytesThatTheProgramCounts) {
  BoussinesqCase of;
  of.points = {64, 64, 65};
  const BoussinesqMemory one = boussinesq_memory(of);
  EXPECT_EQ(one.fields, 14.0 * 16 * 22 * 43 * 65);
  EXPECT_EQ(one.planes, 7.0 * 16 * 22 * 43 * 65);
  EXPECT_EQ(one.messages, 0);
  EXPECT_EQ(one.threads, 359040);
  of.ranks = of.ranks_per_node = 2;
  const BoussinesqMemory two = boussinesq_memory(of);
  EXPECT_EQ(two.fields, 14.0 * 16 * 22 * 22 * 65);
  EXPECT_EQ(two.planes, 7.0 * 16 * 22 * 43 * 33);
  EXPECT_EQ(two.messages, 2 * 7 * 16.0 * 22 * 22 * 65 / 2);
}

}  // namespace
}  // namespace plait::model
