// SPDX-License-Identifier: BSD-3-Clause
// Samples become the statistics of the machine file.
#include "measure/summarize.hpp"

#include <gtest/gtest.h>

namespace plait::measure {
namespace {

TEST(Summarize, a_summary_keeps_the_samples_in_their_order) {
  const machine::Statistic summary = summarize({3, 1, 2});
  EXPECT_EQ(summary.n, 3);
  EXPECT_DOUBLE_EQ(summary.min, 1);
  EXPECT_DOUBLE_EQ(summary.median, 2);
  EXPECT_EQ(summary.samples, (std::vector<double>{3, 1, 2}));
  EXPECT_EQ(summarize({1, 2}, 1).disturbed, 1);
  EXPECT_EQ(summarize({}).n, 0);
  EXPECT_DOUBLE_EQ(bandwidth_gbs(4096, 2), 2.048);
  EXPECT_DOUBLE_EQ(bandwidth_gbs(4096, 0), 0);
}

}  // namespace
}  // namespace plait::measure
