// SPDX-License-Identifier: BSD-3-Clause
// Stengel's equations 2.1 to 2.5, compared with figure 2.5 recomputed, and their invariants.
#include "model/jacobi_prediction.hpp"

#include <gtest/gtest.h>

#include "csv.hpp"
#include "plait/error.hpp"

namespace plait::model {
namespace {

Interval exactly(double value) {
  return {value, value, value};
}

/// Townsend: Stengel 2010, section 2.1.
JacobiInputs townsend() {
  return {SpeedTable({{1, 177e6}, {2, 198e6}}), 2,
          Link{exactly(50e-6), exactly(85e6), exactly(90e6)}, std::nullopt, 8};
}

ModePrediction predict(const JacobiInputs& inputs, const JacobiCase& of, JacobiMode mode) {
  return predict_jacobi(inputs, of, std::span(&mode, 1)).modes.at(0);
}

TEST(JacobiPrediction, StengelsFigure25InAllModesAndNodeCounts) {
  int rows = 0;
  for (const CsvRow& row : read_csv("stengel/stengel_predictions.csv")) {
    const int nodes = static_cast<int>(number(row, "nodes"));
    const JacobiCase of = weak_case(nodes, {120, 120, 120});
    const JacobiPrediction prediction = predict_jacobi(townsend(), of, jacobi_modes(2));
    ASSERT_EQ(prediction.modes.size(), 6U);
    for (const ModePrediction& mode : prediction.modes) {
      const std::string name = name_of(mode.mode, 2);
      // The reference is printed with one decimal.
      EXPECT_NEAR(mode.mlups.value, number(row, name), 0.1) << name << " on " << nodes << " nodes";
      EXPECT_LE(mode.mlups.low, mode.mlups.value);
      EXPECT_GE(mode.mlups.high, mode.mlups.value);
    }
    ++rows;
  }
  EXPECT_EQ(rows, 11);
}

TEST(JacobiPrediction, SixNeighboursTake7point8Milliseconds) {
  // Section 2.2, task mode with OpenMP tasks: "quite similar (8.7 vs 7.8 ms)".
  const ModePrediction task =
      predict(townsend(), weak_case(27, {120, 120, 120}), JacobiMode::task_openmp_upper);
  EXPECT_NEAR(task.sweep_s, 8.7e-3, 0.05e-3);
  EXPECT_NEAR(task.exchange_s.s, 7.8e-3, 0.05e-3);
}

TEST(JacobiPrediction, TheIntervalOfTheExchangeCoversWhatTheThesisLeavesOpen) {
  const NodeExchange exchange = node_exchange({3, 3, 3}, {120, 120, 120}, {1, 1, 1});
  const Predicted time = exchange_time(exchange, townsend());
  const double bytes = 6 * 115200.0;
  EXPECT_DOUBLE_EQ(time.s, bytes / 90e6 + 3 * 50e-6);
  EXPECT_DOUBLE_EQ(time.low_s, bytes / 90e6 + 50e-6);
  EXPECT_DOUBLE_EQ(time.high_s, bytes / 85e6 + 6 * 50e-6);
}

TEST(JacobiPrediction, MessagesWithinANodeWidenTheIntervalOfPureMpiOnly) {
  JacobiInputs inputs = townsend();
  const JacobiCase of = weak_case(8, {120, 120, 120});
  const ModePrediction before = predict(inputs, of, JacobiMode::mpi_all);
  const ModePrediction vector = predict(inputs, of, JacobiMode::vector);
  inputs.inside = Link{exactly(1e-6), exactly(1e9), exactly(1e9)};
  const ModePrediction after = predict(inputs, of, JacobiMode::mpi_all);
  EXPECT_DOUBLE_EQ(after.step_s.s, before.step_s.s);
  EXPECT_NEAR(after.step_s.high_s - before.step_s.high_s, 115200 / 1e9 + 1e-6, 1e-12);
  EXPECT_DOUBLE_EQ(predict(inputs, of, JacobiMode::vector).step_s.high_s, vector.step_s.high_s);
}

TEST(JacobiPrediction, StrongScalingSharesTheGrid) {
  const JacobiCase of = strong_case(8, {480, 480, 481});
  EXPECT_EQ(of.parts, (Extents{2, 2, 2}));
  EXPECT_EQ(of.cells, (Extents{240, 240, 241}));
  EXPECT_DOUBLE_EQ(of.total_cells, 480.0 * 480 * 481);
  const ModePrediction one = predict(townsend(), of, JacobiMode::mpi_one);
  // The largest subdomain determines the time; the work is the whole grid.
  const double sweep = 240.0 * 240 * 241 / 177e6;
  const double faces = 8.0 * (240 * 240 + 2 * 240 * 241) / 90e6;
  EXPECT_DOUBLE_EQ(one.mlups.value, of.total_cells / (sweep + faces + 3 * 50e-6) / 1e6);
}

TEST(JacobiPrediction, StrongScalingOfACubeIsWeakScalingOfItsParts) {
  const JacobiCase strong = strong_case(27, {360, 360, 360});
  const JacobiCase weak = weak_case(27, {120, 120, 120});
  EXPECT_EQ(strong.parts, weak.parts);
  EXPECT_EQ(strong.cells, weak.cells);
  EXPECT_DOUBLE_EQ(strong.total_cells, weak.total_cells);
}

TEST(JacobiPrediction, WithoutNeighboursNoNetworkIsNeeded) {
  JacobiInputs inputs = townsend();
  inputs.network.reset();
  const JacobiCase one = weak_case(1, {120, 120, 120});
  EXPECT_NEAR(predict(inputs, one, JacobiMode::mpi_one).mlups.value, 177, 1e-9);
  const JacobiCase two = weak_case(2, {120, 120, 120});
  EXPECT_THROW(predict(inputs, two, JacobiMode::vector), Error);
}

TEST(JacobiPrediction, MoreCoresThanTwo) {
  JacobiInputs inputs = townsend();
  inputs.speed = SpeedTable({{1, 5e8}, {4, 15e8}, {8, 20e8}});
  inputs.cores = 8;
  const JacobiCase of = weak_case(27, {240, 240, 240});
  const JacobiPrediction prediction = predict_jacobi(inputs, of, jacobi_modes(8));
  EXPECT_EQ(name_of(prediction.modes[1].mode, 8), "mpi_8ppn");
  // Four ranks touch each face (2 x 2 x 2 in a node).
  ASSERT_TRUE(prediction.all_ranks);
  EXPECT_EQ(prediction.all_ranks->communications, 12);
  EXPECT_EQ(prediction.all_ranks->messages, 24);
  EXPECT_DOUBLE_EQ(prediction.modes[3].sweep_s, 240.0 * 240 * 240 / inputs.speed.at(7));
}

TEST(JacobiPrediction, ModesHaveNames) {
  for (const int cores : {1, 2, 48}) {
    for (const JacobiMode mode : jacobi_modes(cores)) {
      EXPECT_EQ(mode_named(name_of(mode, cores), cores), mode);
    }
  }
  EXPECT_EQ(mode_named("mpi_all", 4), JacobiMode::mpi_all);
  EXPECT_EQ(jacobi_modes(1).size(), 1U) << "no core to spare for communication";
  EXPECT_THROW(mode_named("vector", 1), Error);
  EXPECT_THROW(mode_named("tasks", 2), Error);
}

}  // namespace
}  // namespace plait::model
