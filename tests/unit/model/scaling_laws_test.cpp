// SPDX-License-Identifier: BSD-3-Clause
// Laws of scalability: coefficients of exact data are found, noise is inside the intervals.
#include "model/scaling_laws.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/least_squares.hpp"

namespace plait::model {
namespace {

/// Times of a law on these numbers of cores, each changed by up to `noise` of itself.
std::vector<ScalingSample> samples_of(const ScalingFit& law, const std::vector<double>& cores,
                                      double noise = 0) {
  std::vector<ScalingSample> samples;
  for (const double p : cores) {
    const double sign = samples.size() % 2 == 0 ? 1 : -1;
    samples.push_back({p, law.at(p) * (1 + sign * noise), noise * law.at(p)});
  }
  return samples;
}

TEST(LeastSquares, SolvesAndSaysWhatItCannotSolve) {
  const LeastSquares line = least_squares({{{1, 1}, 3, 1}, {{1, 2}, 5, 1}, {{1, 3}, 7, 1}});
  ASSERT_EQ(line.values.size(), 2U);
  EXPECT_NEAR(line.values[0], 1, 1e-9);
  EXPECT_NEAR(line.values[1], 2, 1e-9);
  EXPECT_EQ(line.degrees_of_freedom, 1U);
  EXPECT_TRUE(least_squares({{{1, 1}, 3, 1}, {{2, 2}, 6, 1}}).values.empty());
  EXPECT_TRUE(least_squares({{{1, 1}, 3, 1}}).values.empty());
}

TEST(StudentT, AgreesWithTables) {
  EXPECT_NEAR(student_t(1), 12.706, 0.001);
  EXPECT_NEAR(student_t(3), 3.182, 0.13);
  EXPECT_NEAR(student_t(10), 2.228, 0.003);
}

TEST(ScalingLaws, FindTheCoefficientsOfExactTimes) {
  const ScalingFit amdahl{ScalingLaw::amdahl, 20, {0.05, {}, {}}, {}, 0};
  const auto found = fit_law(ScalingLaw::amdahl, samples_of(amdahl, {1, 2, 4, 8, 16}));
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->serial.value, 0.05, 1e-6);
  EXPECT_NEAR(found->one_s, 20, 1e-6);
  EXPECT_LT(found->largest_deviation, 1e-6);
  EXPECT_NEAR(*half_efficient_p(*found), 21, 1e-3);

  const ScalingFit gustafson{ScalingLaw::gustafson, 3, {0.1, {}, {}}, {}, 0};
  const auto weak = fit_law(ScalingLaw::gustafson, samples_of(gustafson, {1, 2, 4, 8}));
  ASSERT_TRUE(weak.has_value());
  EXPECT_NEAR(weak->serial.value, 0.1, 1e-6);
  EXPECT_FALSE(half_efficient_p(*weak).has_value());

  const ScalingFit usl{ScalingLaw::universal, 10, {0.02, {}, {}}, FittedValue{0.001, {}, {}}, 0};
  const auto whole = fit_law(ScalingLaw::universal, samples_of(usl, {1, 2, 4, 8, 16, 32, 64}));
  ASSERT_TRUE(whole.has_value());
  EXPECT_NEAR(whole->serial.value, 0.02, 1e-6);
  EXPECT_NEAR(whole->coherency->value, 0.001, 1e-7);
  EXPECT_NEAR(*fastest_p(*whole), std::sqrt(0.98 / 0.001), 0.01);
  EXPECT_NEAR(whole->at(*half_efficient_p(*whole)) * *half_efficient_p(*whole), 20, 1e-6);
}

TEST(ScalingLaws, TheIntervalCoversTheTruthOfNoisyTimes) {
  const ScalingFit usl{ScalingLaw::universal, 10, {0.05, {}, {}}, FittedValue{0.002, {}, {}}, 0};
  const auto found =
      fit_law(ScalingLaw::universal, samples_of(usl, {1, 2, 3, 4, 6, 8, 12, 16, 24}, 0.02));
  ASSERT_TRUE(found.has_value() && found->serial.low && found->coherency->high);
  EXPECT_LT(*found->serial.low, 0.05);
  EXPECT_GT(*found->serial.high, 0.05);
  EXPECT_LT(*found->coherency->low, 0.002);
  EXPECT_GT(*found->coherency->high, 0.002);
}

TEST(ScalingLaws, NoFractionIsNegative) {
  // Faster than the number of cores: caches.
  const std::vector<ScalingSample> superlinear{{1, 10, 0}, {2, 4.5, 0}, {4, 2, 0}, {8, 0.9, 0}};
  EXPECT_EQ(fit_law(ScalingLaw::amdahl, superlinear)->serial.value, 0);
  const auto usl = fit_law(ScalingLaw::universal, superlinear);
  ASSERT_TRUE(usl.has_value());
  EXPECT_GE(usl->serial.value, 0);
  EXPECT_GE(usl->coherency->value, 0);
}

TEST(ScalingLaws, TimesThatGrowAreSerial) {
  const auto fit = fit_law(ScalingLaw::amdahl, {{1, 1, 0}, {2, 3, 0}, {4, 9, 0}, {8, 20, 0}});
  ASSERT_TRUE(fit.has_value());
  EXPECT_EQ(fit->serial.value, 1);
}

TEST(ScalingLaws, TooFewNumbersOfCoresGiveNoFitOrNoInterval) {
  EXPECT_FALSE(fit_law(ScalingLaw::amdahl, {{1, 1, 0}, {1, 1.1, 0}}).has_value());
  EXPECT_FALSE(fit_law(ScalingLaw::universal, {{1, 1, 0}, {2, 0.6, 0}}).has_value());
  const auto two = fit_law(ScalingLaw::amdahl, {{1, 1, 0}, {2, 0.6, 0}});
  ASSERT_TRUE(two.has_value());
  EXPECT_NEAR(two->serial.value, 0.2, 1e-9);
  EXPECT_FALSE(two->serial.low.has_value());
}

TEST(KarpFlatt, IsTheSerialFractionOfAmdahlsLaw) {
  const double speedup = 1 / (0.1 + 0.9 / 8);
  EXPECT_NEAR(karp_flatt(speedup, 8), 0.1, 1e-12);
}

}  // namespace
}  // namespace plait::model
