// SPDX-License-Identifier: BSD-3-Clause
// Repetition in rounds until cells converge, time runs out, or the limit of rounds is reached.
#include "measure/rounds.hpp"

#include <gtest/gtest.h>

namespace plait::measure {
namespace {

TEST(Rounds, end_for_a_cell_when_its_interval_is_narrow) {
  std::mt19937 random(1);
  int noise = 0;
  const RoundsResult result = sample_in_rounds(2, {1e6, 0.1, 40}, random, [&](std::size_t cell) {
    return cell == 0 ? 5.0 : 1.0 + (++noise % 2);
  });
  EXPECT_EQ(result.samples[0].size(), 6U) << "the fewest that give an interval";
  EXPECT_EQ(result.samples[1].size(), 40U) << "never converges";
  EXPECT_EQ(result.converged, 1);
}

TEST(Rounds, finish_the_first_even_without_time) {
  std::mt19937 random(1);
  const RoundsResult result =
      sample_in_rounds(5, {0.0, 0.1, 40}, random, [](std::size_t cell) { return double(cell); });
  for (const auto& samples : result.samples) EXPECT_EQ(samples.size(), 1U);
  EXPECT_EQ(result.converged, 0);
}

TEST(Rounds, leave_disturbed_samples_out_if_there_are_others) {
  std::mt19937 random(1);
  int taken = 0;
  // Three of four samples are disturbed, and ten times too long.
  const RoundsResult result = sample_in_rounds(1, {1e6, 0.1, 100}, random, [&](std::size_t) {
    return ++taken % 4 == 0 ? Sample(1.0, 0.01) : Sample(10.0, 0.6);
  });
  EXPECT_EQ(result.samples[0], (std::vector<double>(6, 1.0)));
  EXPECT_EQ(result.disturbed[0], 0);
  EXPECT_EQ(result.converged, 1);
  EXPECT_EQ(taken, 24) << "disturbed samples are repeated";
}

TEST(Rounds, keep_disturbed_samples_if_there_is_nothing_else) {
  std::mt19937 random(1);
  const RoundsResult result =
      sample_in_rounds(1, {1e6, 0.1, 8}, random, [&](std::size_t) { return Sample(2.0, 0.5); });
  EXPECT_EQ(result.samples[0].size(), 8U);
  EXPECT_EQ(result.disturbed[0], 8);
  EXPECT_EQ(result.converged, 0);
}

TEST(Rounds, keep_samples_in_the_order_of_measurement) {
  std::mt19937 random(1);
  double value = 0;
  const RoundsResult result =
      sample_in_rounds(1, {1e6, 0.01, 8}, random, [&](std::size_t) { return value += 1.0; });
  EXPECT_EQ(result.samples[0], (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
}

}  // namespace
}  // namespace plait::measure
