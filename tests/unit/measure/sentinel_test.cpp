// SPDX-License-Identifier: BSD-3-Clause
// A change of the machine's speed is detected in synthetic samples; noise and outliers are not.
#include "measure/sentinel.hpp"

#include <gtest/gtest.h>

#include "measure/sentinel_kernel.hpp"

namespace plait::measure {
namespace {

std::vector<SentinelSample> samples_of(const std::vector<double>& values) {
  std::vector<SentinelSample> samples;
  for (const double value : values) {
    samples.push_back({value, "part " + std::to_string(samples.size())});
  }
  return samples;
}

TEST(Sentinel, a_steady_machine_is_not_changed) {
  const auto samples = samples_of({1.00, 1.01, 0.99, 1.00, 1.02, 1.00, 1.01});
  EXPECT_FALSE(judge_sentinel(samples).changed);
  EXPECT_EQ(sentinel_warning(samples), "");
}

TEST(Sentinel, one_outlier_is_not_a_change_but_widens_the_spread) {
  const auto samples = samples_of({1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.9, 1.0, 1.0, 1.0, 1.0, 1.0});
  EXPECT_FALSE(judge_sentinel(samples).changed);
  EXPECT_NEAR(judge_sentinel(samples).spread, 0.9, 1e-12);
}

TEST(Sentinel, a_lasting_change_is_found_at_its_sample) {
  const auto samples = samples_of({1.00, 1.01, 1.00, 0.99, 1.30, 1.31, 1.29});
  EXPECT_TRUE(judge_sentinel(samples).changed);
  const SpeedChange change = likeliest_change(judge_sentinel(samples).samples);
  EXPECT_EQ(change.at, 4U);
  EXPECT_NEAR(change.factor, 1.3, 0.01);
  const std::string warning = sentinel_warning(samples);
  EXPECT_NE(warning.find("1.30 times slower from \"part 4\" on"), std::string::npos) << warning;
  EXPECT_NE(warning.find("measure again"), std::string::npos) << warning;
}

TEST(Sentinel, becoming_faster_is_also_a_change) {
  const std::string warning = sentinel_warning(samples_of({1.2, 1.2, 1.2, 1.0, 1.0, 1.0}));
  EXPECT_NE(warning.find("1.20 times faster from \"part 3\" on"), std::string::npos) << warning;
}

TEST(Sentinel, going_up_and_down_is_a_change_at_no_particular_sample) {
  const auto samples = samples_of({1.0, 1.5, 1.0, 1.5, 1.0, 1.5, 1.0, 1.5, 1.0, 1.5, 1.0, 1.5});
  EXPECT_TRUE(judge_sentinel(samples).changed);
  EXPECT_NE(sentinel_warning(samples), "");
}

TEST(Sentinel, too_few_samples_are_not_judged) {
  EXPECT_FALSE(judge_sentinel(samples_of({1.0, 2.0, 3.0})).changed);
  EXPECT_FALSE(judge_sentinel({}).changed);
}

TEST(Sentinel, its_kernel_takes_time) {
  EXPECT_GT(run_sentinel(), 0.0);
}

}  // namespace
}  // namespace plait::measure
